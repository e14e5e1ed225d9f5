use super::*;

fn url(text: &str) -> RemoteUrl {
    RemoteUrl::parse(text).unwrap()
}

fn credentials(options: &str, given: &str) -> Result<Credentials> {
    Credentials::new(&options.parse().unwrap(), &url(given), None)
}

#[test]
fn credentials_are_for_one_scheme_name_and_port() {
    let credentials = credentials("authorization=Bearer abc", "https://A.org/x?y").unwrap();
    for same in ["https://a.org", "https://a.ORG:443/other", "https://a.org/y?z"] {
        assert!(credentials.for_url(&url(same)).is_some(), "{same}");
    }
    for other in
        ["http://a.org", "https://a.org:444", "https://b.a.org", "https://a.org.evil.com", "https://org"]
    {
        assert!(credentials.for_url(&url(other)).is_none(), "{other}");
    }
    let own = credentials.for_url(&url("https://a.org")).unwrap();
    assert_eq!(own.headers, ["Authorization: Bearer abc"]);
}

#[test]
fn they_can_be_given_for_another_host_than_the_urls() {
    for host in ["login.org", "https://login.org:443"] {
        let options = format!("username=me, password=\"pw\", credentials_host=\"{host}\"");
        let credentials = credentials(&options, "http://data.org/x").unwrap();
        assert!(credentials.for_url(&url("http://data.org/x")).is_none());
        let own = credentials.for_url(&url("https://login.org/oauth")).unwrap();
        assert_eq!(own.basic, Some(("me".to_owned(), "pw".to_owned())));
    }
}

#[test]
fn a_url_may_name_its_user_who_stays_at_that_host() {
    let credentials = credentials("", "https://me:p%40ss@a.org/x").unwrap();
    let own = credentials.for_url(&url("https://a.org/y")).unwrap();
    assert_eq!(own.basic, Some(("me".to_owned(), "p@ss".to_owned())));
}

#[test]
fn secrets_do_not_travel_in_plain_text_but_within_this_machine() {
    for options in ["authorization=token abc", "username=me, password=pw"] {
        for local in ["http://localhost:1/x", "http://127.0.0.1/x", "http://[::1]:80/x", "https://a.org/x"] {
            assert!(credentials(options, local).is_ok(), "{local}");
        }
        for open in ["http://a.org/x", "http://127.0.0.1.evil.org/x", "http://localhost.org"] {
            let error = credentials(options, open).err().unwrap();
            assert_eq!(error.code(), ErrorCode::InvalidOption);
            assert!(error.to_string().contains("https"), "{error}");
        }
    }
    assert!(credentials("headers=\"X-Key: 1\"", "http://a.org/x").is_ok());
}

#[test]
fn what_a_server_quotes_of_the_secrets_is_cut_out() {
    let options = "headers=\"X-Key: keykey\nX-B: b\", authorization=Bearer abcd, cookies=\"s=session; t=u\"";
    let credentials = credentials(options, "https://me:password@a.org/x").unwrap();
    assert_eq!(
        credentials.redact("bad Bearer abcd, abcd, keykey, session, password, b u"),
        "bad ..., ..., ..., ..., ..., b u"
    );
}

#[test]
fn a_file_of_credentials_that_cannot_be_read_is_an_error() {
    let error = credentials("cookie_file=/no/such/file", "https://a.org").err().unwrap();
    assert!(error.to_string().contains("/no/such/file"), "{error}");
}
