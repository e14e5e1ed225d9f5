//! What the log and the counters say, and the life of the server.

#![allow(clippy::unwrap_used, clippy::expect_used)]

mod support;

use std::net::TcpStream;
use std::sync::Barrier;
use std::time::{Duration, Instant};

use remfile_test_server::{Config, Network, Server};
use support::{Client, generated, get, get_range, start};

const SOON: Duration = Duration::from_secs(20);

#[test]
fn an_entry_tells_all_about_a_request() {
    let server = start();
    let mut client = Client::connect(server.addr());
    let headers = [("Range", "bytes=10-5000"), ("X-Mark", "Abc")];
    client.request("GET", "/bytes/1000/a%20b?name=c%20d", &headers).unwrap();
    client.request("HEAD", "/bytes/1000", &[]).unwrap();
    let log = server.log();
    let entry = &log[0];
    assert_eq!((entry.sequence, entry.connection), (1, 1));
    assert_eq!(&*entry.method, "GET");
    assert_eq!((&*entry.path, &*entry.query), ("/bytes/1000/a%20b", "name=c%20d"));
    assert_eq!(entry.range, Some((10, 5001)));
    assert_eq!(entry.range_header.as_deref(), Some("bytes=10-5000"));
    assert_eq!((entry.status, entry.bytes_sent), (206, 990));
    assert_eq!(entry.header("x-mark"), Some("Abc"));
    assert!(entry.started <= entry.ended);
    assert_eq!((log[1].sequence, log[1].connection), (2, 1));
    assert_eq!((log[1].status, log[1].bytes_sent, log[1].range), (200, 0, None));
    assert!(entry.ended <= log[1].started);
}

#[test]
fn open_ranges_are_logged_as_far_as_the_object_goes() {
    let server = start();
    for range in ["bytes=990-", "bytes=-10", "bytes=1000-"] {
        get_range(&server, "/bytes/1000", range);
    }
    get_range(&server, "/nowhere", "bytes=5-");
    let ranges: Vec<_> = server.log().iter().map(|entry| entry.range).collect();
    assert_eq!(ranges, [Some((990, 1000)), Some((990, 1000)), Some((1000, 1000)), None]);
}

#[test]
fn what_a_client_has_read_is_in_the_log() {
    let server = start();
    let mut client = Client::connect(server.addr());
    for count in 1..=300 {
        client.request("GET", "/bytes/100000", &[("Range", "bytes=5-70000")]).unwrap();
        assert_eq!(server.counters().requests, count);
        assert_eq!(server.counters().in_flight, 0);
    }
}

#[test]
fn a_part_of_the_log_is_chosen_by_the_path() {
    let server = start();
    for target in ["/bytes/1/a", "/bytes/1/b", "/bytes/1/a?status=404"] {
        get(&server, target);
    }
    assert_eq!(server.log_for("/bytes/1/a").len(), 2);
    assert_eq!(server.log_for("/none").len(), 0);
}

#[test]
fn dependent_requests_are_round_trips_and_concurrent_ones_are_not() {
    let server = start();
    for _ in 0..5 {
        // A new connection each, so that only the clients' order counts.
        get(&server, "/bytes/1000");
    }
    assert_eq!(server.counters().round_trips, 5);
    assert_eq!(server.counters().connections, 5);
    assert_eq!(server.counters().max_in_flight, 1);

    server.reset();
    let mut clients: Vec<Client> = (0..4).map(|_| Client::connect(server.addr())).collect();
    for client in &mut clients {
        client.send("GET", "/bytes/2000?stall=1000&first=4", &[]);
        client.read_head().unwrap();
    }
    assert_eq!(server.counters().in_flight, 4);
    drop(clients);
    assert!(server.wait_idle(SOON));
    get(&server, "/bytes/1");
    let counters = server.counters();
    assert_eq!((counters.round_trips, counters.max_in_flight), (2, 4));
    assert_eq!((counters.requests, counters.bytes), (5, 4001));
}

#[test]
fn many_concurrent_clients_get_their_bytes() {
    let server = start();
    let (clients, requests) = (16, 20);
    let ready = Barrier::new(clients);
    std::thread::scope(|scope| {
        for number in 0..clients as u64 {
            let (server, ready) = (&server, &ready);
            scope.spawn(move || {
                let mut client = Client::connect(server.addr());
                ready.wait();
                for request in 0..requests {
                    let (start, end) = (request * 1000 + number, request * 1000 + number + 90_000);
                    let range = format!("bytes={start}-{}", end - 1);
                    let target = format!("/bytes/1000000?seed={number}");
                    let answer = client.request("GET", &target, &[("Range", &range)]).unwrap();
                    assert!(answer.body == generated(number, start, end));
                }
            });
        }
    });
    let counters = server.counters();
    assert_eq!(counters.requests, clients as u64 * requests);
    assert_eq!(counters.bytes, clients as u64 * requests * 90_000);
    assert_eq!((counters.connections, counters.in_flight), (clients as u64, 0));
    assert!(counters.round_trips >= requests);
    let sequences: Vec<u64> = server.log().iter().map(|entry| entry.sequence).collect();
    assert!(sequences.iter().copied().eq(1..=counters.requests));
}

#[test]
fn reset_forgets_the_requests_in_flight_too() {
    let server = start();
    get(&server, "/bytes/1");
    let mut stalled = Client::connect(server.addr());
    stalled.send("GET", "/bytes/10?stall=1", &[]);
    stalled.read_head().unwrap();
    server.reset();
    assert_eq!((server.counters().requests, server.counters().in_flight), (0, 1));
    drop(stalled);
    assert!(server.wait_idle(SOON));
    get(&server, "/bytes/1");
    let log = server.log();
    assert_eq!((log.len(), log[0].sequence), (1, 1));
}

#[test]
fn control_requests_tell_the_same_and_are_not_logged() {
    let server = start();
    let mut control = Client::connect(server.addr());
    assert_eq!(control.request("GET", "/_counters", &[]).unwrap().status, 200);
    get_range(&server, "/bytes/100/x", "bytes=1-2");
    get(&server, "/bytes/100/y?q=1");

    let answer = control.request("GET", "/_log", &[]).unwrap();
    let lines: Vec<&str> = answer.text().lines().collect();
    assert_eq!(lines.len(), 3);
    assert!(lines[0].starts_with("sequence\tconnection\tmethod\tpath\tquery\trange_start\t"));
    let columns: Vec<&str> = lines[1].split('\t').collect();
    assert_eq!(columns[..10], ["1", "1", "GET", "/bytes/100/x", "-", "1", "3", "bytes=1-2", "206", "2"]);
    assert_eq!(columns[12..], ["host: test", "range: bytes=1-2"]);
    let answer = control.request("GET", "/_log?path=%2Fbytes%2F100%2Fy", &[]).unwrap();
    assert_eq!(answer.text().lines().count(), 2);

    let counters = control.request("GET", "/_counters", &[]).unwrap();
    assert_eq!(
        counters.text(),
        "name\tvalue\nrequests\t2\nbytes\t102\nconnections\t2\nin_flight\t0\n\
         max_in_flight\t1\nround_trips\t2\nhead_requests\t0\n"
    );
    assert_eq!(server.counters().to_string(), counters.text());

    assert_eq!(control.request("POST", "/_reset", &[("Content-Length", "0")]).unwrap().status, 200);
    assert_eq!(server.log().len(), 0);
    assert_eq!(control.request("GET", "/_reset", &[]).unwrap().status, 404);
}

#[test]
fn shutdown_by_request_stops_the_server() {
    let server = start();
    let answer = Client::connect(server.addr()).request("POST", "/_shutdown", &[]).unwrap();
    assert_eq!(answer.status, 200);
    server.wait();
    assert!(TcpStream::connect(server.addr()).is_err());
}

#[test]
fn kill_closes_everything_at_once_and_keeps_the_log() {
    let server = start();
    let mut idle = Client::connect(server.addr());
    idle.request("GET", "/bytes/1", &[]).unwrap();
    let mut stalled = Client::connect(server.addr());
    stalled.send("GET", "/bytes/10?stall=5", &[]);
    stalled.read_head().unwrap();
    assert_eq!(stalled.read_exact(5), generated(0, 0, 5));
    server.kill();
    assert!(idle.is_closed() && stalled.is_closed());
    assert!(TcpStream::connect(server.addr()).is_err());
    let log = server.log();
    assert_eq!(log.len(), 2);
    assert_eq!(log[1].bytes_sent, 5);
    server.kill();
}

#[test]
fn a_dropped_server_leaves_its_address_to_another() {
    let server = start();
    get(&server, "/bytes/1");
    let address = server.addr();
    drop(server);
    let server = Server::start(Config { address, ..Config::default() }).unwrap();
    assert_eq!(get(&server, "/bytes/1").status, 200);
}

#[test]
fn urls_begin_with_the_address() {
    let server = start();
    let expected = format!("http://{}/bytes/1?cut=2", server.addr());
    assert_eq!(server.url("bytes/1?cut=2"), expected);
    assert_eq!(server.url("/bytes/1?cut=2"), expected);
}

#[test]
fn the_network_delays_and_limits_every_answer() {
    let network = Network {
        first_byte: Duration::from_millis(50),
        connect: Duration::from_millis(100),
        rate_per_connection: Some(1_000_000),
        rate_total: Some(1_500_000),
    };
    let server = Server::start(Config { network, ..Config::default() }).unwrap();
    let begin = Instant::now();
    let mut client = Client::connect(server.addr());
    client.request("GET", "/bytes/1", &[]).unwrap();
    client.request("GET", "/bytes/1", &[]).unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(200));

    let begin = Instant::now();
    client.request("GET", "/bytes/200000", &[]).unwrap();
    assert!(begin.elapsed() >= Duration::from_millis(200));

    let begin = Instant::now();
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| get(&server, "/bytes/100000"));
        }
    });
    assert!(begin.elapsed() >= Duration::from_millis(150 + 150));
}
