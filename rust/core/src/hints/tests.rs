//! Whole files: what h5py says is in them must be found.

mod robust;
mod rounds;
mod support;
mod truth;
