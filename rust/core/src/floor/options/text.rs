//! The string form of the options: `key=value` pairs.

use std::fmt;
use std::str::FromStr;

use super::{Kind, OPTIONS, OptionSpec, Options, invalid};
use crate::floor::error::{Error, Result};

impl FromStr for Options {
    type Err = Error;

    /// Reads `key=value` pairs separated by commas, semicolons or line ends, over the defaults.
    ///
    /// A value that has such a character in it stands in double quotes, in which `\"`, `\\` and
    /// `\n` are a quote, a backslash and a line end. Sizes take `KiB`, `MiB` and `GiB`, switches `1`/`0`, `true`/`false`,
    /// `yes`/`no`, `on`/`off`. The last of several values for one key holds.
    ///
    /// # Errors
    /// [`ErrorCode::InvalidOption`](crate::ErrorCode::InvalidOption) that names the key and what is known.
    fn from_str(text: &str) -> Result<Self> {
        let mut options = Self::default();
        let mut rest = text.trim_start_matches(is_separator);
        // What follows a secret may be the rest of one that wanted quotes, so it is not repeated.
        let mut after_secret = false;
        while !rest.is_empty() {
            let (name, after) =
                rest.split_once('=').filter(|(name, _)| !name.contains(is_pair_end)).ok_or_else(|| {
                    let pair = if after_secret { "..." } else { first_pair(rest) };
                    invalid(format!(
                        "the option '{pair}' has no value: write key=value, and values with commas in quotes"
                    ))
                })?;
            let name = name.trim();
            let spec = OPTIONS
                .iter()
                .find(|spec| spec.name == name)
                .ok_or_else(|| unknown(if after_secret { "..." } else { name }))?;
            after_secret |= matches!(spec.kind, Kind::Secret | Kind::Headers);
            let (value, after) = take_value(after, spec)?;
            check(spec, &value)?;
            options.set(spec.name, &value);
            rest = after.trim_start_matches(is_separator);
        }
        Ok(options)
    }
}

impl fmt::Display for Options {
    /// Every option as `key=value`, in the table's order; parses back to the same options.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (i, spec) in OPTIONS.iter().enumerate() {
            let value = self.get(spec.name);
            let comma = if i == 0 { "" } else { ", " };
            if matches!(spec.kind, Kind::Text | Kind::Secret | Kind::Headers) {
                let escaped = value.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
                write!(f, "{comma}{}=\"{escaped}\"", spec.name)?;
            } else {
                write!(f, "{comma}{}={value}", spec.name)?;
            }
        }
        Ok(())
    }
}

impl Options {
    /// The value of an option of the table as text.
    pub(super) fn get(&self, name: &str) -> String {
        let switch = |on: bool| u8::from(on).to_string();
        match name {
            "min_chunk_size" => self.min_chunk_size.to_string(),
            "max_cache_size" => self.max_cache_size.to_string(),
            "max_chunk_size" => self.max_chunk_size.to_string(),
            "verbose" => switch(self.verbose),
            "head_size" => self.head_size.to_string(),
            "read_ahead" => switch(self.read_ahead),
            "hints" => switch(self.hints),
            "complete_small_files" => switch(self.complete_small_files),
            "max_connections" => self.max_connections.to_string(),
            "connect_timeout_ms" => self.connect_timeout_ms.to_string(),
            "stall_timeout_ms" => self.stall_timeout_ms.to_string(),
            "read_timeout_ms" => self.read_timeout_ms.to_string(),
            "max_retries" => self.max_retries.to_string(),
            "user_agent" => self.user_agent.clone(),
            "ca_file" => self.ca_file.clone(),
            "verify_tls" => switch(self.verify_tls),
            "proxy" => self.proxy.clone(),
            "http2" => switch(self.http2),
            "local_links" => switch(self.local_links),
            "authorization" => self.authorization.clone(),
            "username" => self.username.clone(),
            "password" => self.password.clone(),
            "headers" => self.headers.clone(),
            "cookies" => self.cookies.clone(),
            "cookie_file" => self.cookie_file.clone(),
            "netrc" => switch(self.netrc),
            "credentials_host" => self.credentials_host.clone(),
            "max_whole_file" => self.max_whole_file.to_string(),
            "s3_region" => self.s3_region.clone(),
            "s3_endpoint" => self.s3_endpoint.clone(),
            "s3_path_style" => switch(self.s3_path_style),
            "s3_requester_pays" => switch(self.s3_requester_pays),
            "s3_anonymous" => switch(self.s3_anonymous),
            _ => String::new(),
        }
    }

    /// Sets an option of the table to a value that passed [`check`].
    pub(super) fn set(&mut self, name: &str, value: &str) {
        let number = parse_number(value).unwrap_or(0);
        // The bounds of the table keep counts far below 32 bits.
        let count = u32::try_from(number).unwrap_or(u32::MAX);
        let on = parse_switch(value).unwrap_or(false);
        match name {
            "min_chunk_size" => self.min_chunk_size = number,
            "max_cache_size" => self.max_cache_size = number,
            "max_chunk_size" => self.max_chunk_size = number,
            "verbose" => self.verbose = on,
            "head_size" => self.head_size = number,
            "read_ahead" => self.read_ahead = on,
            "hints" => self.hints = on,
            "complete_small_files" => self.complete_small_files = on,
            "max_connections" => self.max_connections = count,
            "connect_timeout_ms" => self.connect_timeout_ms = number,
            "stall_timeout_ms" => self.stall_timeout_ms = number,
            "read_timeout_ms" => self.read_timeout_ms = number,
            "max_retries" => self.max_retries = count,
            "user_agent" => value.clone_into(&mut self.user_agent),
            "ca_file" => value.clone_into(&mut self.ca_file),
            "verify_tls" => self.verify_tls = on,
            "proxy" => value.clone_into(&mut self.proxy),
            "http2" => self.http2 = on,
            "local_links" => self.local_links = on,
            "authorization" => value.clone_into(&mut self.authorization),
            "username" => value.clone_into(&mut self.username),
            "password" => value.clone_into(&mut self.password),
            "headers" => value.clone_into(&mut self.headers),
            "cookies" => value.clone_into(&mut self.cookies),
            "cookie_file" => value.clone_into(&mut self.cookie_file),
            "netrc" => self.netrc = on,
            "credentials_host" => value.clone_into(&mut self.credentials_host),
            "max_whole_file" => self.max_whole_file = number,
            "s3_region" => value.clone_into(&mut self.s3_region),
            "s3_endpoint" => value.clone_into(&mut self.s3_endpoint),
            "s3_path_style" => self.s3_path_style = on,
            "s3_requester_pays" => self.s3_requester_pays = on,
            "s3_anonymous" => self.s3_anonymous = on,
            _ => {}
        }
    }
}

/// Is `value` one that `spec` allows?
pub(super) fn check(spec: &OptionSpec, value: &str) -> Result<()> {
    let (least, most, unit) = match spec.kind {
        Kind::Bytes(least, most) => (least, most, " bytes"),
        Kind::Milliseconds(least, most) => (least, most, " ms"),
        Kind::Count(least, most) => (least, most, ""),
        Kind::Switch => {
            return parse_switch(value).map(drop).ok_or_else(|| {
                invalid(format!("the option {} is on or off (1 or 0), not '{value}'", spec.name))
            });
        }
        Kind::Headers => return super::headers::check(spec.name, value),
        Kind::Text | Kind::Secret => {
            return if value.chars().any(char::is_control) {
                Err(invalid(format!("the option {} has a control character in it", spec.name)))
            } else {
                Ok(())
            };
        }
    };
    match parse_number(value) {
        Some(number) if (least..=most).contains(&number) => Ok(()),
        Some(number) => Err(invalid(format!(
            "the option {} must lie between {least} and {most}{unit}, not {number}",
            spec.name
        ))),
        None => Err(invalid(format!("the option {} is a number, not '{value}'", spec.name))),
    }
}

fn unknown(name: &str) -> Error {
    let known: Vec<&str> = OPTIONS.iter().map(|spec| spec.name).collect();
    invalid(format!("unknown option '{name}'; known are {}", known.join(", ")))
}

fn is_pair_end(c: char) -> bool {
    matches!(c, ',' | ';' | '\n' | '\r')
}

fn is_separator(c: char) -> bool {
    is_pair_end(c) || c.is_whitespace()
}

fn first_pair(text: &str) -> &str {
    text.split(is_pair_end).next().unwrap_or(text).trim()
}

/// The value at the head of `text`, and what follows it.
fn take_value<'a>(text: &'a str, spec: &OptionSpec) -> Result<(String, &'a str)> {
    let text = text.trim_start_matches([' ', '\t']);
    let Some(quoted) = text.strip_prefix('"') else {
        let end = text.find(is_pair_end).unwrap_or(text.len());
        return Ok((text[..end].trim().to_owned(), &text[end..]));
    };
    let mut value = String::new();
    let mut chars = quoted.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '"' => {
                let after = quoted[at + 1..].trim_start_matches([' ', '\t']);
                if !after.is_empty() && !after.starts_with(is_pair_end) {
                    break;
                }
                return Ok((value, after));
            }
            '\\' => {
                value.extend(chars.next().map(|(_, escaped)| if escaped == 'n' { '\n' } else { escaped }))
            }
            _ => value.push(c),
        }
    }
    Err(invalid(format!("the value of the option {} has an unbalanced quote", spec.name)))
}

fn parse_number(text: &str) -> Option<u64> {
    const UNITS: [(&str, u64); 3] = [("KiB", 1 << 10), ("MiB", 1 << 20), ("GiB", 1 << 30)];
    let (digits, unit) = UNITS
        .iter()
        .find_map(|(name, unit)| Some((text.strip_suffix(name)?.trim_end(), *unit)))
        .unwrap_or((text, 1));
    // `parse` alone would take a leading plus sign.
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

fn parse_switch(text: &str) -> Option<bool> {
    match text {
        "1" | "true" | "yes" | "on" => Some(true),
        "0" | "false" | "no" | "off" => Some(false),
        _ => None,
    }
}
