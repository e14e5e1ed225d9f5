use super::*;

fn status() -> ffi::Status {
    ffi::Status { code: 0, http_status: 0, attempts: 0, message: String::new() }
}

#[test]
fn success_leaves_the_status_alone() {
    let mut status = status();
    assert_eq!(guarded(&mut status, || Ok(7)), 7);
    assert_eq!((status.code, status.message.as_str()), (0, ""));
}

#[test]
fn an_error_arrives_with_its_code_status_and_attempts() {
    let mut status = status();
    let error = Error::new(ErrorCode::NotFound, "gone").with_status(404).with_attempts(2);
    assert_eq!(guarded::<u32>(&mut status, || Err(error)), 0);
    assert_eq!((status.code, status.http_status, status.attempts), (3, 404, 2));
    assert!(status.message.starts_with("gone"));
}

#[test]
fn a_panic_becomes_an_error_and_goes_no_further() {
    for body in [|| panic!("text"), || panic!("formatted {}", 1), || std::panic::panic_any(1)] {
        let mut status = status();
        guarded::<()>(&mut status, body);
        assert_eq!(status.code, ErrorCode::Internal as i32);
        assert!(status.message.contains("panic"), "{}", status.message);
    }
}

#[test]
fn options_cross_the_bridge_both_ways_unchanged() {
    let text = "min_chunk_size=4096, max_cache_size=1, max_chunk_size=8192, verbose=1, head_size=2, read_ahead=0, \
                hints=0, complete_small_files=0, max_connections=3, connect_timeout_ms=4, stall_timeout_ms=5, read_timeout_ms=6, max_retries=7, \
                user_agent=\"a\", ca_file=\"b\", verify_tls=0, proxy=\"c\", http2=0, local_links=1, \
                authorization=\"token d\", username=\"e\", password=\"f\", headers=\"X-A: g\\nX-B: h\", \
                cookies=\"i=j; k=l\", cookie_file=\"m\", netrc=1, credentials_host=\"https://n\", \
                max_whole_file=8, s3_region=\"o\", s3_endpoint=\"https://p\", s3_path_style=1, \
                s3_requester_pays=1, s3_anonymous=1";
    let options: remfile::Options = text.parse().unwrap();
    assert_eq!(options.to_string(), text.replace("  ", ""));
    assert_eq!(ffi::Options::from(options.clone()).to_core().unwrap(), options);
}

#[test]
fn bytes_that_are_no_text_are_refused() {
    assert!(text(b"\xff", "the URL").is_err());
    let options = ffi::Options { proxy: vec![0xff], ..ffi::Options::default() };
    assert_eq!(options.to_core().unwrap_err().code(), ErrorCode::InvalidOption);
}

#[test]
fn pieces_may_have_no_buffer_but_none_that_is_larger_than_memory() {
    let piece = |buffer, size| [ffi::ReadPiece { offset: 0, buffer, size, content: 3 }];
    // SAFETY: no buffer of these is written to, and the one byte is there.
    unsafe {
        assert_eq!(pieces_of(&piece(0, 5)).unwrap().len(), 1);
        let byte = Cell::new(0_u8);
        assert!(pieces_of(&piece(byte.as_ptr() as usize, 1)).is_ok());
        let refused = pieces_of(&piece(byte.as_ptr() as usize, usize::MAX)).unwrap_err();
        assert_eq!(refused.code(), ErrorCode::OutOfBounds);
    }
}
