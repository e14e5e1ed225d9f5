use super::*;
use std::net::TcpListener;

/// Waits until so many spares are open.
fn wait_ready(spares: &Spares, count: usize) {
    while spares.ready() != count {
        std::thread::yield_now();
    }
}

#[test]
fn the_first_connection_to_an_address_opens_spares_for_the_next_ones() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let spares = Spares::default();
    assert!(spares.take(address, MOST).is_none());
    spares.open_wanted();
    wait_ready(&spares, MOST as usize);
    for left in (0..MOST).rev() {
        let socket = spares.take(address, MOST).unwrap();
        assert_eq!(socket.peer_addr().unwrap().as_socket(), Some(address));
        assert_eq!(spares.ready(), left as usize);
    }
    assert!(spares.take(address, MOST).is_none());
    spares.open_wanted();
    assert_eq!(spares.ready(), 0, "not opened again at once");
}

#[test]
fn a_spare_goes_only_to_its_own_address() {
    let listeners = [TcpListener::bind("127.0.0.1:0").unwrap(), TcpListener::bind("127.0.0.1:0").unwrap()];
    let [one, other] = listeners.each_ref().map(|listener| listener.local_addr().unwrap());
    let spares = Spares::default();
    spares.take(one, MOST);
    spares.open_wanted();
    wait_ready(&spares, MOST as usize);
    assert!(spares.take(other, MOST).is_none());
    assert!(spares.take(one, MOST).is_some());
}

#[test]
fn a_spare_that_the_server_closed_is_not_handed_out() {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    let spares = Spares::default();
    spares.take(address, MOST);
    spares.open_wanted();
    wait_ready(&spares, MOST as usize);
    for _ in 0..MOST {
        drop(listener.accept().unwrap());
    }
    wait_ready(&spares, 0);
    assert!(spares.take(address, MOST).is_none());
}

#[test]
fn a_server_that_is_not_there_gives_no_spares() {
    let address = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let spares = Spares::default();
    assert!(spares.take(address, MOST).is_none());
    spares.open_wanted();
    assert!(spares.take(address, MOST).is_none());
    assert_eq!(spares.ready(), 0);
}

#[test]
fn half_of_what_a_host_may_have_are_spares() {
    let counts = [1, 2, 6, 16, 100].map(|most| Access::new(&Arc::default(), most).count);
    assert_eq!(counts, [0, 1, 3, 8, 8]);
}
