use super::*;

/// What is chosen where the environment has these variables.
fn chosen(ca_file: &str, environment: &[(&str, &str)]) -> (Option<String>, Option<String>) {
    let trust = Trust::choose(ca_file, |name| {
        environment.iter().find(|(known, _)| *known == name).map(|(_, value)| value.into())
    });
    let text = |path: Option<PathBuf>| path.map(|path| path.to_string_lossy().into_owned());
    (text(trust.file), text(trust.folder))
}

fn some(text: &str) -> Option<String> {
    Some(text.to_owned())
}

const ALL: [(&str, &str); 3] =
    [("CURL_CA_BUNDLE", "/curl.pem"), ("SSL_CERT_FILE", "/ssl.pem"), ("SSL_CERT_DIR", "/certs")];

#[test]
fn the_option_comes_before_the_environment() {
    assert_eq!(chosen("/mine.pem", &ALL), (some("/mine.pem"), None));
}

#[test]
fn the_variable_of_curl_comes_before_those_of_openssl() {
    assert_eq!(chosen("", &ALL), (some("/curl.pem"), None));
}

#[test]
fn openssl_has_a_file_and_a_folder() {
    assert_eq!(chosen("", &ALL[1..]), (some("/ssl.pem"), some("/certs")));
    assert_eq!(chosen("", &ALL[2..]), (None, some("/certs")));
}

#[test]
fn without_a_word_libcurl_chooses() {
    assert_eq!(chosen("", &[]), (None, None));
    assert_eq!(
        chosen("", &[("CURL_CA_BUNDLE", ""), ("SSL_CERT_FILE", ""), ("SSL_CERT_DIR", "")]),
        (None, None)
    );
}
