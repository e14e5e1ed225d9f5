//! What every other room stands on: errors, byte ranges, options, URLs. Uses nothing of ours.

pub(crate) mod error;
pub(crate) mod fork;
pub(crate) mod log;
pub(crate) mod options;
pub(crate) mod range;
pub(crate) mod url;
