//! The parsers of `hints` under arbitrary bytes. They are private to the library, so that their sources are
//! taken in here.

#![allow(dead_code, missing_docs)]

#[path = "../../src/floor"]
mod floor {
    pub(crate) mod range;
}

#[path = "../../src/hints/mod.rs"]
mod hints;

pub use hints::fuzzing::*;
