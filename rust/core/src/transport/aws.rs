//! What the environment says about Amazon's services: keys, region and endpoint, from the variables and
//! the two files that all of Amazon's own tools read.

use std::path::PathBuf;

use crate::floor::error::{Error, ErrorCode, Result};

/// Keys that sign requests.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Keys {
    pub(crate) id: String,
    pub(crate) secret: String,
    /// Comes with temporary keys; may be empty.
    pub(crate) session_token: String,
}

/// Whatever was found; what is not there may come from elsewhere.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Settings {
    pub(crate) keys: Option<Keys>,
    pub(crate) region: Option<String>,
    pub(crate) endpoint: Option<String>,
}

/// Where variables and files come from.
pub(crate) struct Environment<'a> {
    pub(crate) variable: &'a dyn Fn(&str) -> Option<String>,
    pub(crate) file: &'a dyn Fn(&PathBuf) -> Option<String>,
}

impl Environment<'_> {
    /// A variable that says something.
    fn get(&self, name: &str) -> Option<String> {
        (self.variable)(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty())
    }

    fn text(&self, variable: &str, default: &str) -> String {
        let home = || Some(PathBuf::from(self.get("HOME").or_else(|| self.get("USERPROFILE"))?));
        let path = self.get(variable).map(PathBuf::from).or_else(|| Some(home()?.join(".aws").join(default)));
        path.and_then(|path| (self.file)(&path)).unwrap_or_default()
    }
}

impl Settings {
    /// Variables come before the profile that `AWS_PROFILE` names (else `default`).
    ///
    /// A profile whose keys must be fetched from somewhere (single sign-on, roles, programs) has none
    /// for us; that is an error only where it was asked for by name.
    pub(crate) fn from(environment: &Environment<'_>) -> Result<Self> {
        let named = environment.get("AWS_PROFILE");
        let name = named.as_deref().unwrap_or("default");
        let credentials = environment.text("AWS_SHARED_CREDENTIALS_FILE", "credentials");
        let config = environment.text("AWS_CONFIG_FILE", "config");
        let in_credentials = |key: &str| value(&credentials, &[name], key);
        let prefixed = format!("profile {name}");
        let in_config = |key: &str| value(&config, &[&prefixed, name], key);

        let from_profile = || {
            let get = |key: &str| in_credentials(key).or_else(|| in_config(key));
            Some(Keys {
                id: get("aws_access_key_id")?,
                secret: get("aws_secret_access_key")?,
                session_token: get("aws_session_token").unwrap_or_default(),
            })
        };
        let from_variables = || {
            Some(Keys {
                id: environment.get("AWS_ACCESS_KEY_ID")?,
                secret: environment.get("AWS_SECRET_ACCESS_KEY")?,
                session_token: environment.get("AWS_SESSION_TOKEN").unwrap_or_default(),
            })
        };
        let keys = from_variables().or_else(from_profile);
        if let (None, Some(name)) = (&keys, &named) {
            return Err(Error::new(
                ErrorCode::InvalidOption,
                format!("the profile '{name}' (AWS_PROFILE) has no access key that can be read"),
            ));
        }
        let variable = |name: &str| environment.get(name);
        Ok(Self {
            keys,
            region: variable("AWS_REGION")
                .or_else(|| variable("AWS_DEFAULT_REGION"))
                .or_else(|| in_config("region"))
                .or_else(|| in_credentials("region")),
            endpoint: variable("AWS_ENDPOINT_URL_S3")
                .or_else(|| variable("AWS_ENDPOINT_URL"))
                .or_else(|| in_config("endpoint_url")),
        })
    }
}

/// The value of `key` in the first of `sections` that has it.
fn value(text: &str, sections: &[&str], key: &str) -> Option<String> {
    sections.iter().find_map(|section| {
        let mut inside = false;
        text.lines().find_map(|line| {
            if let Some(name) = line.trim().strip_prefix('[').and_then(|rest| rest.split(']').next()) {
                inside = name.split_whitespace().eq(section.split_whitespace());
                return None;
            }
            // What is indented belongs to a group of settings of its own.
            let (name, value) =
                line.split_once('=').filter(|_| inside && !line.starts_with([' ', '\t', '#', ';']))?;
            (name.trim() == key).then(|| value.trim().to_owned()).filter(|value| !value.is_empty())
        })
    })
}

#[cfg(test)]
mod tests;
