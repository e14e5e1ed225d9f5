use super::*;
use proptest::prelude::*;

fn of(text: &str) -> Option<String> {
    gist(text.as_bytes())
}

#[test]
fn the_first_line_of_plain_text_is_kept() {
    assert_eq!(of("\n  no such  file\nsecond line").as_deref(), Some("no such file"));
    assert_eq!(of("{\"detail\": \"Not found.\"}").as_deref(), Some("{\"detail\": \"Not found.\"}"));
}

#[test]
fn an_object_stores_message_and_a_pages_title_are_found() {
    let xml =
        "<?xml version=\"1.0\"?>\n<Error><Code>AccessDenied</Code><Message>Access Denied</Message></Error>";
    assert_eq!(of(xml).as_deref(), Some("Access Denied"));
    assert_eq!(of("<!DOCTYPE html><HTML><TITLE>404 Not\nFound</TITLE>").as_deref(), Some("404 Not Found"));
}

#[test]
fn nothing_worth_showing_is_nothing() {
    for text in ["", "  \n ", "<html><body>x</body></html>", "<title>", "\u{1}\u{2}"] {
        assert_eq!(of(text), None, "{text:?}");
    }
}

#[test]
fn a_long_line_is_cut_and_control_characters_go() {
    assert_eq!(of(&"é".repeat(5000)).map(|s| s.chars().count()), Some(200));
    assert_eq!(of("a\u{1b}[31mb").as_deref(), Some("a [31mb"));
}

proptest! {
    #[test]
    fn no_body_makes_it_panic(body in prop::collection::vec(any::<u8>(), 0..200), head in "<?(title|message)?>?") {
        let _ = gist(&[head.as_bytes(), &body].concat());
    }
}
