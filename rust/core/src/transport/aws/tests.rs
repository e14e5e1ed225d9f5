use super::*;

const CREDENTIALS: &str = "# mine
[default]
aws_access_key_id = ID
aws_secret_access_key=SE=CRET
[work]
aws_access_key_id=WID
aws_secret_access_key=WSECRET
aws_session_token = WTOKEN
";
const CONFIG: &str = "[default]
region = eu-west-1
s3 =
    region = nested
[profile work]
; region = commented
region=eu-north-1
endpoint_url = https://work.example
[profile sso]
sso_session = x
region = eu-south-1
";

fn settings(variables: &[(&str, &str)]) -> Result<Settings> {
    let variable = |name: &str| {
        let found = variables.iter().chain(&[("HOME", "/home/me")]).find(|(key, _)| *key == name);
        found.map(|(_, value)| (*value).to_owned())
    };
    let file = |path: &PathBuf| {
        let known =
            [("/home/me/.aws/credentials", CREDENTIALS), ("/home/me/.aws/config", CONFIG), ("/c", "")];
        known.iter().find(|(name, _)| path == std::path::Path::new(name)).map(|(_, text)| (*text).to_owned())
    };
    Settings::from(&Environment { variable: &variable, file: &file })
}

fn keys(id: &str, secret: &str, token: &str) -> Option<Keys> {
    Some(Keys { id: id.to_owned(), secret: secret.to_owned(), session_token: token.to_owned() })
}

#[test]
fn the_default_profile_serves_where_nothing_is_said() {
    let settings = settings(&[]).unwrap();
    assert_eq!(settings.keys, keys("ID", "SE=CRET", ""));
    assert_eq!(settings.region.as_deref(), Some("eu-west-1"));
    assert_eq!(settings.endpoint, None);
}

#[test]
fn a_profile_is_chosen_by_name() {
    let settings = settings(&[("AWS_PROFILE", "work")]).unwrap();
    assert_eq!(settings.keys, keys("WID", "WSECRET", "WTOKEN"));
    assert_eq!(settings.region.as_deref(), Some("eu-north-1"));
    assert_eq!(settings.endpoint.as_deref(), Some("https://work.example"));
}

#[test]
fn variables_come_first_and_an_empty_one_says_nothing() {
    let given = settings(&[
        ("AWS_ACCESS_KEY_ID", "A"),
        ("AWS_SECRET_ACCESS_KEY", "B"),
        ("AWS_SESSION_TOKEN", "C"),
        ("AWS_DEFAULT_REGION", "d"),
        ("AWS_ENDPOINT_URL", "http://e"),
    ]);
    let given = given.unwrap();
    assert_eq!(given.keys, keys("A", "B", "C"));
    assert_eq!((given.region.as_deref(), given.endpoint.as_deref()), (Some("d"), Some("http://e")));
    let given = settings(&[
        ("AWS_REGION", "f"),
        ("AWS_DEFAULT_REGION", "d"),
        ("AWS_ENDPOINT_URL_S3", "http://g"),
        ("AWS_ENDPOINT_URL", "http://e"),
        ("AWS_ACCESS_KEY_ID", ""),
        ("AWS_SECRET_ACCESS_KEY", ""),
    ]);
    let given = given.unwrap();
    assert_eq!((given.region.as_deref(), given.endpoint.as_deref()), (Some("f"), Some("http://g")));
    assert_eq!(given.keys, keys("ID", "SE=CRET", ""));
}

#[test]
fn no_keys_are_no_error_unless_a_profile_was_to_have_some() {
    let elsewhere = [("AWS_SHARED_CREDENTIALS_FILE", "/c"), ("AWS_CONFIG_FILE", "/none")];
    assert_eq!(settings(&elsewhere).unwrap(), Settings::default());
    for name in ["sso", "nobody"] {
        let error = settings(&[("AWS_PROFILE", name)]).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidOption);
        assert!(error.to_string().contains(name), "{error}");
    }
}
