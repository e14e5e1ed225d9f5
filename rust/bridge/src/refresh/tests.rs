use super::*;

/// Copies `user`, which is a text, to `url` and returns what its first digit says.
unsafe extern "C" fn copy(user: *mut c_void, url: *mut c_char, size: usize) -> c_int {
    // SAFETY: the tests hand over a text that ends with a NUL and fits.
    unsafe {
        let text = std::ffi::CStr::from_ptr(user.cast::<c_char>()).to_bytes_with_nul();
        assert!(text.len() < size);
        std::ptr::copy_nonoverlapping(text.as_ptr().add(1).cast(), url, text.len() - 1);
        if text[0] == b'0' { 0 } else { -1 }
    }
}

fn call_with(text: &std::ffi::CStr) -> Fresh {
    let refresh = ffi::Refresh { function: copy as *const () as usize, user: text.as_ptr() as usize };
    refresher(&refresh).unwrap()()
}

#[test]
fn a_function_gives_a_url_or_says_why_not() {
    assert_eq!(call_with(c"0https://h/x?y").unwrap(), "https://h/x?y");
    assert_eq!(call_with(c"1logged out").unwrap_err().to_string(), "logged out");
    assert!(call_with(c"1").unwrap_err().to_string().contains("failure"));
    assert!(call_with(c"0\xff").unwrap_err().to_string().contains("UTF-8"));
}

#[test]
fn without_a_function_there_is_nothing_to_call() {
    assert!(refresher(&ffi::Refresh { function: 0, user: 1 }).is_none());
}
