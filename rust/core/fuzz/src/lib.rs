//! The parsers of `hints`, `transport` and `floor` under arbitrary bytes. They are private to the library, so that
//! their sources are taken in here.

#![allow(dead_code, missing_docs)]

#[path = "../../src/floor"]
mod floor {
    pub(crate) mod error;
    pub(crate) mod options;
    pub(crate) mod range;
}

#[path = "../../src/hints/mod.rs"]
mod hints;

#[path = "../../src/transport"]
mod transport {
    pub(crate) mod failure;
    pub(crate) mod response;
}

mod answer_head;
mod option_text;

pub use answer_head::answer_head;
pub use hints::fuzzing::*;
pub use option_text::options;
