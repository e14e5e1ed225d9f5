//! A chunked dataset: its grid of chunks, and where its index begins.

use super::format::dataspace::Dataspace;
use super::format::layout::{Chunked, Index};

/// A chunk as the index has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Chunk {
    /// Number of the chunk in row-major order of the grid.
    pub(crate) number: u64,
    pub(crate) start: u64,
    pub(crate) length: u64,
}

/// The chunks of a dataset as a grid of its current size.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Grid {
    chunk_dims: Vec<u64>,
    /// Chunks in each dimension.
    counts: Vec<u64>,
    /// The same as the array that indexes them counts, in the order of that array.
    array: Vec<(usize, u64)>,
    /// All chunks.
    total: u64,
    chunk_bytes: u64,
}

/// A chunked dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Dataset {
    pub(crate) header: u64,
    pub(crate) grid: Grid,
    pub(crate) index: Index,
}

impl Dataset {
    /// `None` where there is no chunk, or the messages do not fit each other.
    pub(crate) fn new(header: u64, space: &Dataspace, layout: &Chunked) -> Option<Self> {
        Some(Self { header, grid: Grid::new(space, layout)?, index: layout.index })
    }
}

impl Grid {
    fn new(space: &Dataspace, layout: &Chunked) -> Option<Self> {
        let dims = &layout.chunk_dims;
        if space.dims.len() != dims.len() || space.max_dims.len() != dims.len() {
            return None;
        }
        let product = |of: &[u64], first: u64| of.iter().try_fold(first, |so_far, &n| so_far.checked_mul(n));
        let per_dim = |(&extent, &chunk): (&u64, &u64)| extent.div_ceil(chunk);
        let counts: Vec<u64> = space.dims.iter().zip(dims).map(per_dim).collect();
        let total = product(&counts, 1).filter(|&total| total > 0)?;
        let chunk_bytes = product(dims, layout.element_size).filter(|&bytes| bytes < 1 << 32)?;
        // Arrays count chunks of the largest extent. An extensible one puts the dimension that is
        // unlimited first, so that growth appends (VII.D).
        let most = |dim: usize| {
            let most = space.max_dims.get(dim).copied().flatten();
            most.zip(dims.get(dim)).map_or(u64::MAX, |(most, &chunk)| most.div_ceil(chunk))
        };
        let mut array: Vec<(usize, u64)> = (0..dims.len()).map(|dim| (dim, most(dim))).collect();
        if matches!(layout.index, Index::ExtensibleArray(_)) {
            array.sort_by_key(|&(_, most)| most != u64::MAX);
        }
        Some(Self { chunk_dims: dims.clone(), counts, array, total, chunk_bytes })
    }

    pub(crate) fn rank(&self) -> usize {
        self.counts.len()
    }

    pub(crate) fn counts(&self) -> &[u64] {
        &self.counts
    }

    /// How many chunks there may be.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Bytes of a chunk that is not filtered.
    pub(crate) fn chunk_bytes(&self) -> u64 {
        self.chunk_bytes
    }

    /// Where in the grid a chunk is.
    pub(crate) fn coordinates(&self, number: u64) -> Vec<u64> {
        let mut rest = number;
        let mut place = vec![0; self.counts.len()];
        for (place, &count) in place.iter_mut().zip(&self.counts).rev() {
            *place = rest % count.max(1);
            rest /= count.max(1);
        }
        place
    }

    /// The chunk at a place, which may lie outside of the grid: then `None`.
    pub(crate) fn number(&self, place: &[u64]) -> Option<u64> {
        let inside = place.len() == self.counts.len() && place.iter().zip(&self.counts).all(|(at, n)| at < n);
        inside.then(|| self.order(place))
    }

    /// A number that sorts places as the index does, even where a key points behind the grid's edge.
    pub(crate) fn order(&self, place: &[u64]) -> u64 {
        let mut number = 0_u64;
        for (dim, (&at, &count)) in place.iter().zip(&self.counts).enumerate() {
            let most = if dim == 0 { u64::MAX } else { count.saturating_sub(1) };
            number = number.saturating_mul(count).saturating_add(at.min(most));
        }
        number
    }

    /// The place of the chunk whose corner is the element at `offsets`.
    pub(crate) fn place_of(&self, offsets: &[u64]) -> Vec<u64> {
        offsets.iter().zip(&self.chunk_dims).map(|(offset, chunk)| offset / chunk.max(&1)).collect()
    }

    /// The element at a chunk's corner.
    #[cfg(test)]
    pub(crate) fn corner(&self, number: u64) -> Vec<u64> {
        self.coordinates(number).iter().zip(&self.chunk_dims).map(|(at, chunk)| at * chunk).collect()
    }

    /// The array element of a chunk.
    pub(crate) fn array_index(&self, number: u64) -> Option<u64> {
        let place = self.coordinates(number);
        let mut index = 0_u64;
        for (position, &(dim, count)) in self.array.iter().enumerate() {
            index = if position == 0 { 0 } else { index.checked_mul(count)? };
            index = index.checked_add(*place.get(dim)?)?;
        }
        Some(index)
    }

    /// The chunk of an array element; `None` for one outside of the grid's current size.
    pub(crate) fn array_number(&self, index: u64) -> Option<u64> {
        let mut place = vec![0; self.counts.len()];
        let mut rest = index;
        for (position, &(dim, count)) in self.array.iter().enumerate().rev() {
            let place = place.get_mut(dim)?;
            if position == 0 {
                *place = rest;
            } else {
                *place = rest % count.max(1);
                rest /= count.max(1);
            }
        }
        self.number(&place)
    }
}

#[cfg(test)]
mod tests;
