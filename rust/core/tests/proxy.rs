//! Proxies, by option and by environment. The test server takes requests for any host.

#![allow(clippy::unwrap_used, reason = "tests")]

mod support;

use std::io::{BufRead, BufReader, Write};
use std::net::TcpListener;

use remfile::{ErrorCode, Options, RemoteFile};
use support::{alone, log, options, read, server};

const ELSEWHERE: &str = "http://example.invalid/bytes/9000000";

#[test]
fn a_proxy_given_as_an_option_is_asked_for_every_range() {
    let proxy = server();
    let text = format!("proxy={}, complete_small_files=0, headers=\"X-Key: key\"", proxy.url(""));
    let file = RemoteFile::open(ELSEWHERE, &options(&text)).unwrap();
    read(&file, 5_000_000, 10).unwrap();
    let log = log(&proxy);
    assert_eq!(log.len(), 2);
    assert!(log.iter().all(|entry| entry.header("host") == Some("example.invalid")));
}

#[test]
fn the_environments_proxy_is_asked_but_for_the_hosts_it_excepts() {
    let proxy = server();
    let url = proxy.url("");
    let environment = [("http_proxy", url.as_str()), ("no_proxy", "127.0.0.1")];
    if !alone("the_environments_proxy_is_asked_but_for_the_hosts_it_excepts", &environment) {
        assert_eq!(log(&proxy)[0].header("host"), Some("example.invalid"));
        assert_eq!(log(&proxy).len(), 1);
        return;
    }
    RemoteFile::open(ELSEWHERE, &Options::default()).unwrap();
    RemoteFile::open(&proxy.url("bytes/1000"), &Options::default()).unwrap();
    assert_eq!(log(&proxy).len(), 1);
}

#[test]
fn a_proxy_that_refuses_a_tunnel_is_told_by_its_status_and_asked_no_more_than_that_deserves() {
    for (status, code, attempts) in [
        (401, ErrorCode::Denied, 1),
        (403, ErrorCode::Denied, 1),
        (407, ErrorCode::Denied, 1),
        (502, ErrorCode::Server, 2),
    ] {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let proxy = format!("http://me:topsecret@{}", listener.local_addr().unwrap());
        std::thread::spawn(move || {
            for client in listener.incoming() {
                let mut client = client.unwrap();
                for line in BufReader::new(client.try_clone().unwrap()).lines() {
                    if line.unwrap().is_empty() {
                        break;
                    }
                }
                let answer =
                    format!("HTTP/1.1 {status} No\r\nContent-Length: 0\r\nConnection: close\r\n\r\n");
                client.write_all(answer.as_bytes()).unwrap();
            }
        });
        let options = options(&format!("proxy={proxy}, max_retries=1"));
        let error = RemoteFile::open("https://example.invalid/x.h5", &options).unwrap_err();
        assert_eq!((error.code(), error.attempts()), (code, attempts), "{error}");
        assert_eq!(error.http_status(), Some(status));
        assert!(!error.to_string().contains("topsecret"), "{error}");
    }
}
