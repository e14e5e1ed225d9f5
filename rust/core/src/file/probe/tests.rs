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
