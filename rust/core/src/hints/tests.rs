//! Whole files: what h5py says is in them must be found.

mod replay;
mod robust;
mod rounds;
pub(in crate::hints) mod support;
mod truth;
