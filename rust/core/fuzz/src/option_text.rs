use crate::floor::options::Options;

/// Parses a text of options; what is accepted is valid and is printed as a text that means the same.
///
/// # Panics
/// Where it is not, or where an error repeats a secret.
pub fn options(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    match text.parse::<Options>() {
        Ok(options) => {
            assert!(options.validate().is_ok());
            assert!(options.to_string().parse::<Options>().is_ok_and(|again| again == options));
        }
        Err(error) => assert!(!error.to_string().contains('\n') || text.contains('\n')),
    }
    // Whatever else is wrong, a secret before it stays one.
    let secret = format!("password=\"topsecret\", {text}");
    if let Err(error) = secret.parse::<Options>() {
        assert!(!error.to_string().contains("topsecret") || text.contains("topsecret"), "{error}");
    }
}
