use super::*;

#[test]
fn pages_are_told_from_files() {
    for page in ["<!DOCTYPE html><html>", "\u{feff} \n<HTML>", "<?xml version=\"1.0\"?><Error>"] {
        assert!(is_web_page(page.as_bytes()), "{page}");
    }
    assert!(!is_web_page(b"\x89HDF\r\n\x1a\n"));
    assert!(!is_web_page(b""));
    assert!(!is_web_page(&[0; 4096]));
}

#[test]
fn a_user_block_that_looks_like_a_page_is_no_page() {
    let mut file = b"<html>".to_vec();
    file.resize(1024, b' ');
    assert!(is_web_page(&file));
    file.extend_from_slice(b"\x89HDF\r\n\x1a\n");
    assert!(!is_web_page(&file));
}

#[test]
fn the_first_bytes_are_enough_for_a_part_of_what_is_no_page() {
    let of = |bytes: &[u8], whole: bool| State { bytes: bytes.to_vec(), whole, ..State::default() };
    assert!(!of(&[0; 100], false).is_enough());
    assert!(of(&[0; 600], false).is_enough());
    assert!(!of(&[0; 600], true).is_enough(), "nothing else will come of it");
    let page = [b"<html>".to_vec(), vec![b' '; 600]].concat();
    assert!(!of(&page, false).is_enough(), "there may be a signature behind it");
    assert!(State { end: Some(Ok(())), ..of(&page, false) }.is_enough());
}
