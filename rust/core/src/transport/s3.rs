//! Objects of S3 and of services like it: where they lie, and who asks for them.

use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::floor::error::{Error, ErrorCode, Result};
use crate::floor::options::Options;
use crate::floor::url::RemoteUrl;
use crate::transport::aws::{Environment, Keys, Settings};

/// All but what a signature leaves as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b'/');
/// Where buckets are looked for first; Amazon says it where one is elsewhere.
const FIRST_REGION: &str = "us-east-1";
/// The first libcurl that signs all that S3 wants to be signed.
const LEAST_LIBCURL: (u32, &str) = (0x07_57_00, "7.87.0");

/// One object of a bucket.
#[derive(Debug)]
pub(crate) struct S3 {
    bucket: String,
    /// Percent-encoded.
    key: String,
    /// Another service than Amazon's, without a slash at its end.
    endpoint: Option<String>,
    path_style: bool,
    region: String,
    /// `None`: nothing is signed.
    pub(crate) keys: Option<Keys>,
    pub(crate) requester_pays: bool,
}

impl S3 {
    /// The object that `url` names, if it begins as `s3://bucket/key` does. The key is taken as it is: all
    /// that follows the bucket is part of it, `?`, `#` and `%` too.
    pub(crate) fn parse(url: &str, options: &Options, environment: &Environment<'_>) -> Result<Option<Self>> {
        let text = url.trim();
        let Some((_, rest)) = text.split_once("://").filter(|(scheme, _)| scheme.eq_ignore_ascii_case("s3"))
        else {
            return Ok(None);
        };
        let (bucket, key) = rest.split_once('/').unwrap_or((rest, ""));
        let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '-' | '.' | '_');
        if bucket.is_empty()
            || !bucket.chars().all(is_name)
            || key.is_empty()
            || key.chars().any(char::is_control)
        {
            let message = format!("'{}' is not s3://bucket/key", text.escape_debug());
            return Err(Error::new(ErrorCode::InvalidUrl, message));
        }
        if !options.authorization.is_empty() {
            return Err(invalid("authorization is not for s3://, where requests are signed".to_owned()));
        }
        let found = Settings::from(environment)?;
        let given = |text: &String| Some(text.clone()).filter(|text| !text.is_empty());
        let own_keys = given(&options.username).map(|id| Keys {
            id,
            secret: options.password.clone(),
            ..Keys::default()
        });
        let endpoint = given(&options.s3_endpoint).or(found.endpoint);
        let s3 = Self {
            bucket: bucket.to_owned(),
            key: utf8_percent_encode(key, ENCODED).to_string(),
            // A dot in a bucket's name makes a host name that no certificate covers.
            path_style: options.s3_path_style || endpoint.is_some() || bucket.contains('.'),
            endpoint: endpoint.map(|endpoint| endpoint.trim_end_matches('/').to_owned()),
            region: given(&options.s3_region).or(found.region).unwrap_or_else(|| FIRST_REGION.to_owned()),
            keys: own_keys.or(found.keys).filter(|_| !options.s3_anonymous),
            requester_pays: options.s3_requester_pays,
        };
        if let Some(endpoint) = &s3.endpoint {
            RemoteUrl::parse(endpoint)?;
        }
        Ok(Some(s3))
    }

    /// Where the object is asked for first.
    pub(crate) fn url(&self) -> Result<RemoteUrl> {
        self.url_in(&self.region)
    }

    /// Where it is in `region`, which a server may have named.
    pub(crate) fn url_in(&self, region: &str) -> Result<RemoteUrl> {
        if region.is_empty() || !region.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-') {
            return Err(invalid("the region is not the name of one".to_owned()));
        }
        let (bucket, key) = (&self.bucket, &self.key);
        let domain = if region.starts_with("cn-") { "amazonaws.com.cn" } else { "amazonaws.com" };
        let wire = match (&self.endpoint, self.path_style) {
            (Some(endpoint), _) => format!("{endpoint}/{bucket}/{key}"),
            (None, true) => format!("https://s3.{region}.{domain}/{bucket}/{key}"),
            (None, false) => format!("https://{bucket}.s3.{region}.{domain}/{key}"),
        };
        Ok(RemoteUrl::parse(&wire)?.signed_for(region).called(format!("s3://{bucket}/{key}")))
    }
}

/// Can the libcurl of this process sign? It is a matter of the run time, not of the build.
pub(crate) fn check_libcurl(version: u32, name: &str) -> Result<()> {
    let (least, least_name) = LEAST_LIBCURL;
    if version >= least {
        return Ok(());
    }
    let why = format!(
        "s3:// with credentials needs libcurl {least_name} or later, and this is {name}; s3_anonymous=1 reads \
         public buckets"
    );
    Err(invalid(why))
}

fn invalid(message: String) -> Error {
    Error::new(ErrorCode::InvalidOption, message)
}

#[cfg(test)]
mod tests;
