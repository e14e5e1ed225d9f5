//! Objects of S3, against servers that look at who asks.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;
use std::sync::mpsc::{Receiver, channel};

use remfile::{ErrorCode, RemoteFile};
use support::{alone, log, options, read, scratch_file, server};

const KEYS: &str = "username=AKID, password=topsecret";

#[test]
fn requests_for_an_object_are_signed_with_the_keys_given() {
    let server = server();
    let text = format!("{KEYS}, s3_endpoint={}, s3_region=eu-west-1, s3_requester_pays=1", server.url(""));
    let file = RemoteFile::open("s3://bytes/900000000", &options(&text)).unwrap();
    read(&file, 500_000_000, 1000).unwrap();
    assert_eq!(file.url(), "s3://bytes/900000000");
    for entry in log(&server) {
        let signature = entry.header("authorization").unwrap();
        let credential = signature.split("Credential=").nth(1).unwrap();
        assert!(signature.starts_with("AWS4-HMAC-SHA256") && credential.starts_with("AKID/"), "{signature}");
        assert!(credential.contains("/eu-west-1/s3/aws4_request"), "{signature}");
        for signed in ["host", "x-amz-content-sha256", "x-amz-date", "x-amz-request-payer"] {
            assert!(signature.contains(signed), "{signature}");
        }
        assert_eq!(entry.header("x-amz-request-payer"), Some("requester"));
        assert_eq!(entry.header("accept-encoding"), Some("identity"));
        assert!(entry.headers.iter().all(|(_, value)| !value.contains("topsecret")));
    }
}

#[test]
fn without_keys_nothing_is_signed() {
    let nothing = [("HOME", "/nonexistent"), ("AWS_PROFILE", ""), ("AWS_ACCESS_KEY_ID", "")];
    if !alone("without_keys_nothing_is_signed", &nothing) {
        return;
    }
    let server = server();
    for text in ["", "s3_anonymous=1, username=AKID, password=topsecret"] {
        let text = format!("{text}, s3_endpoint={}", server.url(""));
        RemoteFile::open("s3://bytes/3000000", &options(&text)).unwrap();
    }
    for entry in log(&server) {
        assert_eq!(entry.path.as_ref(), "/bytes/3000000");
        assert!(entry.headers.iter().all(|(name, _)| name != "authorization" && !name.starts_with("x-amz-")));
    }
}

#[test]
fn the_environment_has_keys_token_region_and_endpoint() {
    let config = scratch_file("aws-config", "[default]\nregion = eu-north-1\n");
    let environment = [
        ("HOME", "/nonexistent"),
        ("AWS_CONFIG_FILE", config.to_str().unwrap()),
        ("AWS_ACCESS_KEY_ID", "AKID"),
        ("AWS_SECRET_ACCESS_KEY", "topsecret"),
        ("AWS_SESSION_TOKEN", "token"),
        ("AWS_ENDPOINT_URL", "http://127.0.0.1:1"),
    ];
    if !alone("the_environment_has_keys_token_region_and_endpoint", &environment) {
        std::fs::remove_file(config).unwrap();
        return;
    }
    std::fs::remove_file(config).unwrap();
    let error = RemoteFile::open("s3://bucket/key", &options("max_retries=0")).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Unreachable);
    assert!(error.to_string().contains("127.0.0.1"), "{error}");
    let server = server();
    let text = format!("s3_endpoint={}", server.url(""));
    RemoteFile::open("s3://bytes/3000000", &options(&text)).unwrap();
    let entry = &log(&server)[0];
    let signature = entry.header("authorization").unwrap();
    assert!(signature.contains("Credential=AKID/") && signature.contains("/eu-north-1/s3/"), "{signature}");
    assert!(signature.contains("x-amz-security-token"), "{signature}");
    assert_eq!(entry.header("x-amz-security-token"), Some("token"));
}

/// A server of one object, `content`, that refuses signatures for another region than `eu-central-1` as S3
/// does; tells of every request its line and its `Authorization`.
fn regional_server(status: &'static str, content: &'static [u8]) -> (String, Receiver<String>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", listener.local_addr().unwrap());
    let (seen, requests) = channel();
    std::thread::spawn(move || {
        for stream in listener.incoming() {
            let Ok(mut stream) = stream else { return };
            let head =
                BufReader::new(&stream).lines().map_while(Result::ok).take_while(|line| !line.is_empty());
            let head: Vec<String> = head.collect();
            if head.is_empty() {
                continue; // a spare connection that was not needed
            }
            let signature =
                head.iter().find(|line| line.starts_with("Authorization:")).cloned().unwrap_or_default();
            let last = content.len() - 1;
            let answer = match signature.contains("/eu-central-1/") {
                true => format!(
                    "HTTP/1.1 206 Partial Content\r\nContent-Range: bytes 0-{last}/{}\r\nContent-Length: {}",
                    last + 1,
                    last + 1
                ),
                false => {
                    format!("HTTP/1.1 {status}\r\nx-amz-bucket-region: eu-central-1\r\nContent-Length: 0")
                }
            };
            let body = if signature.contains("/eu-central-1/") { content } else { b"" };
            let _ = seen.send(signature);
            let _ = stream.write_all(format!("{answer}\r\nConnection: close\r\n\r\n").as_bytes());
            let _ = stream.write_all(body);
        }
    });
    (address, requests)
}

#[test]
fn a_wrong_region_is_put_right_by_what_the_server_says() {
    for status in ["301 Moved Permanently", "400 Bad Request"] {
        let (endpoint, requests) = regional_server(status, b"content");
        let file = RemoteFile::open("s3://bucket/key", &options(&format!("{KEYS}, s3_endpoint={endpoint}")))
            .unwrap();
        assert_eq!(file.size(), 7);
        let regions: Vec<bool> =
            requests.try_iter().map(|signature| signature.contains("/us-east-1/")).collect();
        assert_eq!(regions, [true, false], "{status}");
    }
}

#[test]
fn a_redirect_out_of_s3_carries_no_signature() {
    let elsewhere = server();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let endpoint = format!("http://{}", listener.local_addr().unwrap());
    let target = elsewhere.url("bytes/3000000");
    std::thread::spawn(move || {
        for mut stream in listener.incoming().map_while(Result::ok) {
            let _ = BufReader::new(&stream)
                .lines()
                .map_while(Result::ok)
                .take_while(|line| !line.is_empty())
                .count();
            let answer =
                format!("HTTP/1.1 307 Temporary Redirect\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n");
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    let file =
        RemoteFile::open("s3://bucket/key", &options(&format!("{KEYS}, s3_endpoint={endpoint}"))).unwrap();
    assert_eq!(file.size(), 3_000_000);
    for entry in log(&elsewhere) {
        assert!(entry.headers.iter().all(|(name, _)| name != "authorization" && !name.starts_with("x-amz-")));
    }
}
