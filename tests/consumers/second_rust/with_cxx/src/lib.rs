//! A library that speaks cxx, as remfile does inside.

#[cxx::bridge(namespace = "with_cxx")]
mod ffi {
    extern "Rust" {
        fn greet(name: &str) -> Result<String>;
        fn count(flags: &Vec<bool>) -> usize;
    }
}

fn greet(name: &str) -> Result<String, std::fmt::Error> {
    if name.is_empty() { Err(std::fmt::Error) } else { Ok(format!("hello {name}")) }
}

fn count(flags: &Vec<bool>) -> usize {
    flags.iter().filter(|flag| **flag).count()
}
