#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| remfile_fuzz::answer_head(data));
