//! Prints what lies at the top of a remote HDF5 file, and the shapes of the datasets there:
//! `cargo run -p remfile-hdf5 --example read -- URL`

use std::error::Error;

use remfile_hdf5::Options;

fn main() -> Result<(), Box<dyn Error>> {
    let url = std::env::args().nth(1).ok_or("usage: read URL")?;
    let id = remfile_hdf5::open(&url, &Options::default())?;
    // SAFETY: `id` is an open file, and nobody else closes it.
    let file: hdf5::File = unsafe { hdf5::from_id(id) }?;
    for name in file.member_names()? {
        println!("{name}");
    }
    for dataset in file.datasets()? {
        println!("{}: {:?}", dataset.name(), dataset.shape());
    }
    Ok(())
}
