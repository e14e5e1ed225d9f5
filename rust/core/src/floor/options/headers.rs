//! Request headers as a user gives them.

use super::invalid;
use crate::floor::error::Result;

/// What only a request itself can say: with another value it would ask for something else, or break.
const RESERVED: [&str; 13] = [
    "accept-encoding",
    "connection",
    "content-length",
    "expect",
    "host",
    "if-match",
    "if-modified-since",
    "if-none-match",
    "if-range",
    "if-unmodified-since",
    "range",
    "te",
    "transfer-encoding",
];

/// Checks lines of `Name: value` (RFC 9110, sections 5.1 and 5.5). No message repeats a value.
pub(super) fn check(option: &str, text: &str) -> Result<()> {
    for line in text.lines() {
        let Some((name, value)) = split(line) else {
            return Err(invalid(format!("the option {option} has a line that is not 'Name: value'")));
        };
        if !name.bytes().all(is_token) {
            return Err(invalid(format!(
                "the option {option} has a header name with a character that none has"
            )));
        }
        if RESERVED.contains(&name.to_ascii_lowercase().as_str()) {
            return Err(invalid(format!("the option {option} must not set {name}, which every request has")));
        }
        if value.chars().any(char::is_control) {
            return Err(invalid(format!("the option {option} has a control character in it")));
        }
    }
    Ok(())
}

/// Name and value, neither of them empty.
fn split(line: &str) -> Option<(&str, &str)> {
    let (name, value) = line.split_once(':')?;
    let value = value.trim();
    (!name.is_empty() && !value.is_empty()).then_some((name, value))
}

fn is_token(b: u8) -> bool {
    b.is_ascii_alphanumeric() || b"!#$%&'*+-.^_`|~".contains(&b)
}
