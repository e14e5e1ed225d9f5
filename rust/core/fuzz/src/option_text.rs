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
    // A secret that wanted quotes: the rest of it is taken for an option, which is not repeated.
    let error = format!("password=a,topsecret{text}").parse::<Options>().err().map(|error| error.to_string());
    assert!(error.is_some_and(|error| !error.contains("topsecret") || text.contains("topsecret")));
}
