use super::*;
use proptest::prelude::*;

fn wire(text: &str) -> String {
    RemoteUrl::parse(text).unwrap().wire().to_owned()
}

#[test]
fn a_legal_url_is_sent_byte_for_byte() {
    for url in [
        "https://h/a.h5",
        "http://h:8080/a%20b.nwb?X-Amz-Signature=a%2Fb+c&x=~!$&'()*,;=:@/?%",
        "https://[::1]:80/x",
        "https://user:pw@h/x?",
        "https://h?q=1",
    ] {
        assert_eq!(wire(url), url);
    }
}

#[test]
fn only_what_is_illegal_gets_encoded() {
    assert_eq!(wire("https://h/a b.h5"), "https://h/a%20b.h5");
    assert_eq!(wire("https://h/é.h5?ü=1"), "https://h/%C3%A9.h5?%C3%BC=1");
    assert_eq!(wire("https://h/{a}|\"b\"?<c>"), "https://h/%7Ba%7D%7C%22b%22?%3Cc%3E");
    assert_eq!(wire("  HTTPS://h/x  "), "https://h/x");
}

#[test]
fn a_fragment_is_never_sent() {
    assert_eq!(wire("https://h/a.nc#mode=bytes"), "https://h/a.nc");
}

#[test]
fn secrets_are_not_shown() {
    let url = RemoteUrl::parse("https://me:secret@h:1/p/a.nwb?X-Amz-Signature=topsecret").unwrap();
    assert_eq!(url.shown(), "https://h:1/p/a.nwb?...");
    assert_eq!(url.authority(), "https://h:1");
    assert_eq!(url.redact("bad: X-Amz-Signature=topsecret"), "bad: ...");
    let url = RemoteUrl::parse("https://h/a?sig=top%2Fsecret%3D&name=something").unwrap();
    assert_eq!(url.redact("bad top/secret=, or top%2Fsecret%3D, something"), "bad ..., or ..., something");
}

#[test]
fn two_signed_urls_of_one_object_name_the_same() {
    let object = |text: &str| RemoteUrl::parse(text).unwrap().object();
    assert_eq!(
        object("https://me:pw@H.org/a%20b?X-Amz-Signature=1&X-Amz-Date=2#x"),
        "https://h.org:443/a%20b"
    );
    for (one, other) in [
        ("http://h/a?X-Amz-Signature=1&X-Amz-Expires=2", "http://h:80/a?X-Amz-Signature=2"),
        ("http://h/a?AWSAccessKeyId=1&Signature=2&Expires=3", "http://h/a"),
        ("http://h/a?Expires=1&Signature=a&Key-Pair-Id=2", "http://h/a?Policy=1&Signature=b&Key-Pair-Id=2"),
        ("http://h/a?sv=1&se=2&sig=3&id=4", "http://h/a?id=4&sv=2&sig=5"),
        ("http://h/a?X-Goog-Signature=1&versionId=7", "http://h/a?versionId=7"),
    ] {
        assert_eq!(object(one), object(other));
    }
    for (one, other) in [
        ("http://h/a", "http://h/b"),
        ("http://h/a?file=1", "http://h/a?file=2"),
        ("http://h/a?sv=1", "http://h/a?sv=2"),
        ("http://h/a?expires=1", "http://h/a?expires=2"),
        ("http://h/a?versionId=7", "http://h/a"),
    ] {
        assert_ne!(object(one), object(other));
    }
    assert!(!object("http://h/a?password=topsecret").contains("topsecret"));
}

#[test]
fn a_site_has_one_spelling() {
    for (text, site) in [
        ("https://A.org/x", "https://a.org:443"),
        ("HTTP://u:p@a.org", "http://a.org:80"),
        ("http://a.org:8080/x", "http://a.org:8080"),
        ("https://[::1]/x", "https://[::1]:443"),
        ("https://[::1]:8/x", "https://[::1]:8"),
    ] {
        assert_eq!(RemoteUrl::parse(text).unwrap().site(), site);
    }
}

#[test]
fn what_is_not_a_remote_file_is_refused_with_a_reason() {
    for (text, reason) in [
        ("", "does not begin"),
        ("/local/file.h5", "does not begin"),
        ("s3:bucket/key", "does not begin"),
        ("file:///etc/passwd", "does not begin"),
        ("https:///x", "no host"),
        ("https://:80/x", "no host"),
        ("https://user@/x", "no host"),
        ("https://h/a\r\nX: y", "control character"),
        ("https://a b/x", "host"),
    ] {
        let error = RemoteUrl::parse(text).unwrap_err();
        assert_eq!(error.code(), ErrorCode::InvalidUrl, "{text}");
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn a_refused_url_does_not_show_its_secrets() {
    let error = RemoteUrl::parse("ftp://me:secret@h/a?token=secret").unwrap_err();
    assert!(!error.to_string().contains("secret"), "{error}");
}

proptest! {
    #[test]
    fn no_text_makes_the_parser_panic(text in "(https?://)?\\PC{0,60}") {
        let _ = RemoteUrl::parse(&text);
    }
}
