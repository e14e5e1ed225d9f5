use super::*;
use std::path::PathBuf;

fn s3_with(url: &str, options: &str, variables: &[(&str, &str)]) -> Result<Option<S3>> {
    let find =
        |name: &str| variables.iter().find(|(key, _)| *key == name).map(|(_, value)| (*value).to_owned());
    let environment = Environment { variable: &find, file: &|_: &PathBuf| None };
    S3::parse(url, &options.parse().unwrap(), &environment)
}

fn s3(url: &str, options: &str) -> S3 {
    s3_with(url, options, &[]).unwrap().unwrap()
}

#[test]
fn a_bucket_and_a_key_become_a_url() {
    for (url, options, wire) in [
        ("s3://b/k.nwb", "", "https://b.s3.us-east-1.amazonaws.com/k.nwb"),
        ("S3://b/d/k", "s3_region=eu-west-1", "https://b.s3.eu-west-1.amazonaws.com/d/k"),
        ("s3://b/k", "s3_region=cn-north-1", "https://b.s3.cn-north-1.amazonaws.com.cn/k"),
        ("s3://b/k", "s3_path_style=1", "https://s3.us-east-1.amazonaws.com/b/k"),
        ("s3://b.org/k", "", "https://s3.us-east-1.amazonaws.com/b.org/k"),
        ("s3://b/k", "s3_endpoint=http://127.0.0.1:9000/", "http://127.0.0.1:9000/b/k"),
        ("s3://b/a#b?c d%20é+.h5", "", "https://b.s3.us-east-1.amazonaws.com/a%23b%3Fc%20d%2520%C3%A9%2B.h5"),
        ("s3://b//a/../k", "", "https://b.s3.us-east-1.amazonaws.com//a/../k"),
    ] {
        let url = s3(url, options).url().unwrap();
        assert_eq!(url.wire(), wire);
        assert!(url.shown().starts_with("s3://b"), "{}", url.shown());
    }
    assert_eq!(s3("s3://b/k", "s3_region=eu-west-1").url().unwrap().region(), Some("eu-west-1"));
}

#[test]
fn another_region_gives_another_host_and_only_a_region_does() {
    let s3 = s3("s3://b/k", "");
    let url = s3.url_in("ap-south-1").unwrap();
    assert_eq!((url.wire(), url.region()), ("https://b.s3.ap-south-1.amazonaws.com/k", Some("ap-south-1")));
    for bad in ["", "evil.org/", "a b", "x@evil", "é"] {
        assert!(s3.url_in(bad).is_err(), "{bad}");
    }
}

#[test]
fn keys_come_from_the_options_or_the_environment_or_nowhere() {
    let variables = [("AWS_ACCESS_KEY_ID", "A"), ("AWS_SECRET_ACCESS_KEY", "B"), ("AWS_SESSION_TOKEN", "C")];
    let keys = |options: &str| s3_with("s3://b/k", options, &variables).unwrap().unwrap().keys;
    let of = |id: &str, secret: &str, token: &str| {
        Some(Keys { id: id.to_owned(), secret: secret.to_owned(), session_token: token.to_owned() })
    };
    assert_eq!(keys(""), of("A", "B", "C"));
    assert_eq!(keys("username=D, password=E"), of("D", "E", ""));
    assert_eq!(keys("s3_anonymous=1"), None);
    assert_eq!(s3("s3://b/k", "").keys, None);
}

#[test]
fn what_is_no_bucket_and_key_is_refused_and_other_urls_are_left_alone() {
    for url in ["s3://", "s3://b", "s3://b/", "s3:///k", "s3://b@evil.org/k", "s3://b:1/k", "s3://b/k\n"] {
        let url = format!("{url}{}", if url.ends_with('\n') { "x" } else { "" });
        assert_eq!(s3_with(&url, "", &[]).unwrap_err().code(), ErrorCode::InvalidUrl, "{url}");
    }
    for url in ["https://b.s3.amazonaws.com/k", "", "/s3"] {
        assert!(s3_with(url, "", &[]).unwrap().is_none(), "{url}");
    }
    assert!(s3_with("s3://b/k", "authorization=Bearer x", &[]).is_err());
    assert!(s3_with("s3://b/k", "s3_endpoint=ftp://x", &[]).is_err());
}

#[test]
fn an_old_libcurl_is_told_of_at_run_time() {
    assert!(check_libcurl(0x07_57_00, "7.87.0").is_ok());
    assert!(check_libcurl(0x08_00_00, "8.0.0").is_ok());
    let error = check_libcurl(0x07_44_00, "7.68.0").unwrap_err();
    assert!(error.to_string().contains("7.68.0") && error.to_string().contains("7.87.0"), "{error}");
}
