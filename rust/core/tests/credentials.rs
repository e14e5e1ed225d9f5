//! Private files: who we are goes to the host that was meant, and to nobody else.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use remfile::{ErrorCode, Options, RemoteFile};
use remfile_test_server::Server;
use support::{alone, encoded, log, open, options, read, scratch_file, server};

const EVERYTHING: &str = "authorization=\"token topsecret\", headers=\"X-Api-Key: topsecret\nX-Other: b\", \
                          cookies=\"session=topsecret; a=b\"";

/// No request that `server` has seen carries a credential.
fn assert_none_seen(server: &Server) {
    for entry in log(server) {
        for (name, value) in entry.headers.iter() {
            assert!(!value.contains("topsecret"), "{name}: {value}");
        }
        assert!(entry.header("authorization").is_none() && entry.header("cookie").is_none());
        assert!(entry.header("x-other").is_none());
    }
}

#[test]
fn every_request_to_the_files_host_carries_its_credentials() {
    let server = server();
    let url = server.url("bytes/9000000?auth=token%20topsecret&name=a");
    let text = format!("{EVERYTHING}, complete_small_files=0");
    let file = RemoteFile::open(&url, &options(&text)).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    assert_eq!(log(&server).len(), 2);
    for entry in log(&server) {
        assert_eq!(entry.header("x-api-key"), Some("topsecret"));
        assert_eq!(entry.header("x-other"), Some("b"));
        assert_eq!(entry.header("cookie"), Some("session=topsecret; a=b"));
    }
}

#[test]
fn a_retry_and_a_fresh_url_carry_them_too() {
    let server = server();
    let fresh = server.url("bytes/9000000/fresh?require_header=x-amz-request-payer:requester");
    let refresh = move || Ok(fresh.clone());
    let url = server.url("bytes/9000000/old?status=403&after=1&require_header=x-amz-request-payer:requester");
    let text = "headers=\"x-amz-request-payer: requester\", complete_small_files=0";
    let file = RemoteFile::open_with_refresh(&url, &options(text), refresh).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    let url = server.url("bytes/9000000/slow?status=503&first=1");
    RemoteFile::open(&url, &options(text)).unwrap();
    assert!(log(&server).iter().all(|entry| entry.header("x-amz-request-payer") == Some("requester")));
}

#[test]
fn another_host_sees_none_of_them_at_the_redirect_nor_when_it_is_asked_directly() {
    for code in [301, 302, 303, 307, 308] {
        let (first, second) = (server(), server());
        let target = encoded(&second.url("bytes/90000000"));
        let url = first.url(&format!("bytes/1?redirect={code}&to={target}"));
        let file = RemoteFile::open(&url, &options(EVERYTHING)).unwrap();
        for i in 1..20 {
            read(&file, i * 4_000_037, 10).unwrap();
        }
        assert_none_seen(&second);
        assert!(log(&second).len() > 10);
        assert_eq!(log(&first).len(), 1);
        assert_eq!(log(&first)[0].header("authorization"), Some("token topsecret"));
    }
}

#[test]
fn a_fresh_url_on_another_host_gets_none_of_them() {
    let (first, second) = (server(), server());
    let fresh = second.url("bytes/9000000");
    let url = first.url("bytes/9000000?status=403&after=1");
    let text = format!("{EVERYTHING}, complete_small_files=0");
    let file = RemoteFile::open_with_refresh(&url, &options(&text), move || Ok(fresh.clone())).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    assert_none_seen(&second);
}

#[test]
fn two_hosts_have_each_its_own() {
    let (first, second) = (server(), server());
    for (server, token) in [(&first, "one"), (&second, "two")] {
        let url = server.url("bytes/3000000");
        RemoteFile::open(&url, &options(&format!("authorization=Bearer {token}"))).unwrap();
    }
    assert_eq!(log(&first)[0].header("authorization"), Some("Bearer one"));
    assert_eq!(log(&second)[0].header("authorization"), Some("Bearer two"));
}

#[test]
fn credentials_for_the_login_host_go_there_and_not_to_the_files() {
    // As with Earthdata: the data's host sends us to log in, which sends us back with a cookie to show.
    let (data, login) = (server(), server());
    let back = data.url("bytes/9000000/back");
    let login_url =
        login.url(&format!("bytes/1?auth=Basic%20bWU6dG9wc2VjcmV0&redirect=302&to={}", encoded(&back)));
    let url = data.url(&format!("bytes/1?redirect=302&to={}", encoded(&login_url)));
    let host = login.url("");
    let text = format!("username=me, password=topsecret, credentials_host={host}, complete_small_files=0");
    let file = RemoteFile::open(&url, &options(&text)).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    assert_none_seen(&data);
    assert_eq!(log(&login).len(), 1);
}

#[test]
fn cookies_that_a_host_sets_on_the_way_go_back_to_it_alone() {
    let (data, login) = (server(), server());
    let file = "/bytes/9000000?require_header=cookie:pass%3D1";
    let set = format!("bytes/1?set_cookie=pass%3D1&redirect=302&to={}", encoded(file));
    // By the name localhost it is another host than 127.0.0.1.
    let login = login.url(&format!("bytes/1?redirect=302&to={}", encoded(&data.url(&set))));
    let login = login.replace("127.0.0.1", "localhost");
    let file = open(
        &data,
        &format!("bytes/1?set_cookie=first%3D2%3B%20Path%3D/none&redirect=302&to={}", encoded(&login)),
    );
    read(&file, 5_000_000, 10).unwrap();
    let sent: Vec<_> = log(&data).iter().map(|entry| entry.header("cookie").map(str::to_owned)).collect();
    assert_eq!(sent, [None, None, Some("pass=1".to_owned()), Some("pass=1".to_owned())]);
}

#[test]
fn a_netrc_file_serves_each_host_its_own() {
    let netrc = scratch_file("netrc", "machine 127.0.0.1 login me password topsecret\n");
    let environment = [("NETRC", netrc.to_str().unwrap())];
    if !alone("a_netrc_file_serves_each_host_its_own", &environment) {
        std::fs::remove_file(&netrc).unwrap();
        return;
    }
    std::fs::remove_file(&netrc).unwrap();
    let (first, second) = (server(), server());
    let elsewhere = second.url("bytes/9000000").replace("127.0.0.1", "localhost");
    let url = first.url(&format!("bytes/1?redirect=302&to={}", encoded(&elsewhere)));
    let file = RemoteFile::open(&url, &options("netrc=1"));
    assert_eq!(file.unwrap().size(), 9_000_000);
    assert_eq!(log(&first)[0].header("authorization"), Some("Basic bWU6dG9wc2VjcmV0"));
    assert_none_seen(&second);
}

#[test]
fn a_cookie_file_serves_each_host_its_own() {
    let server = server();
    let line = |host: &str, value: &str| format!("{host}\tFALSE\t/\tFALSE\t0\tname\t{value}\n");
    let text = format!(
        "# Netscape HTTP Cookie File\n{}{}",
        line("127.0.0.1", "mine"),
        line("example.org", "theirs")
    );
    let file = scratch_file("cookies", &text);
    let opened =
        RemoteFile::open(&server.url("bytes/3000000"), &options(&format!("cookie_file={}", file.display())));
    std::fs::remove_file(&file).unwrap();
    opened.unwrap();
    assert_eq!(log(&server)[0].header("cookie"), Some("name=mine"));
}

#[test]
fn no_error_repeats_a_credential_even_where_the_server_does() {
    let server = server();
    let url = server.url("bytes/1000?status=403&body=bad%20token%20topsecret%20and%20topsecret");
    let error = RemoteFile::open(&url, &options(EVERYTHING)).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Denied);
    assert!(error.to_string().contains("bad token ... and ..."), "{error}");
    for text in ["authorization=token topsecret", "username=me, password=topsecret"] {
        let error = RemoteFile::open("http://example.org/x.h5", &options(text)).unwrap_err();
        assert_eq!((error.code(), error.attempts()), (ErrorCode::InvalidOption, 0), "{error}");
        assert!(!error.to_string().contains("topsecret"), "{error}");
    }
}

#[test]
fn the_log_has_no_credential() {
    let path = scratch_file("log", "");
    if !alone("the_log_has_no_credential", &[("REMFILE_LOG", path.to_str().unwrap())]) {
        let text = std::fs::read_to_string(&path).unwrap();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("/bytes/9000000") && !text.contains("topsecret"), "{text}");
        return;
    }
    std::fs::remove_file(&path).unwrap();
    let server = server();
    let target = encoded(&server.url("bytes/9000000?X-Amz-Signature=topsecret"));
    let url =
        server.url(&format!("bytes/1?redirect=302&to={target}")).replace("http://", "http://me:topsecret@");
    let fresh = server.url("bytes/9000000?token=topsecret");
    let refused = server.url("bytes/9000000?status=403&body=topsecret");
    RemoteFile::open(&url, &options(EVERYTHING)).unwrap();
    RemoteFile::open_with_refresh(&refused, &options(EVERYTHING), move || Ok(fresh.clone())).unwrap();
    let _ = RemoteFile::open(&refused, &Options::default());
}
