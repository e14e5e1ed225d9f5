#![no_main]

libfuzzer_sys::fuzz_target!(|data: &[u8]| remfile_fuzz::options(data));
