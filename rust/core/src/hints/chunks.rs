//! What is known of chunked datasets: where their chunks are, and which chunk a place in the file is of.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::dataset::{Chunk, Dataset};
use super::format::Format;
use super::index::{self, Landmark, Outcome, Seen};
use super::memory::Memory;
use crate::floor::range::ByteRange;

/// Chunks that are remembered, some 100 bytes each; nodes of the index tell again what is forgotten.
const MOST_CHUNKS: usize = 1 << 17;
const MOST_LANDMARKS: usize = 1 << 16;
const MOST_DATASETS: usize = 1 << 16;
/// Chunks that are looked for to come to know an index.
const SAMPLES: u64 = 32;

/// Number of a dataset in the order of discovery.
pub(crate) type DatasetId = usize;

/// A chunk and the dataset it is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(crate) dataset: DatasetId,
    pub(crate) chunk: Chunk,
}

/// All chunked datasets of a file.
#[derive(Debug, Default)]
pub(crate) struct Chunks {
    datasets: Vec<Dataset>,
    by_header: HashMap<u64, DatasetId>,
    by_number: HashMap<(DatasetId, u64), (u64, u64)>,
    by_start: BTreeMap<u64, (DatasetId, u64, u64)>,
    /// Nodes of indexes by where they begin.
    landmarks: BTreeMap<u64, (DatasetId, Landmark)>,
    /// Those found since they were last taken.
    nodes: Vec<(DatasetId, ByteRange)>,
    searches: u64,
}

impl Chunks {
    /// Takes in a dataset, or how it is now.
    pub(crate) fn add(&mut self, dataset: Dataset, format: &Format) {
        match self.by_header.get(&dataset.header) {
            Some(&id) => {
                if let Some(known) = self.datasets.get_mut(id).filter(|known| **known != dataset) {
                    *known = dataset;
                    // Chunks are numbered by the size of the grid.
                    self.forget();
                }
            }
            None if self.datasets.len() < MOST_DATASETS => {
                let id = self.datasets.len();
                self.by_header.insert(dataset.header, id);
                if let Some(range) = index::root_range(&dataset, format) {
                    self.landmark(id, Landmark { range, key: 0, paging: None });
                } else if let Some(chunk) = index::first_without_index(&dataset, format) {
                    self.remember(id, chunk);
                }
                self.datasets.push(dataset);
            }
            None => (),
        }
    }

    pub(crate) fn dataset(&self, id: DatasetId) -> Option<&Dataset> {
        self.datasets.get(id)
    }

    #[cfg(test)]
    pub(crate) fn datasets(&self) -> &[Dataset] {
        &self.datasets
    }

    /// Forgets all chunks, which can be found again.
    fn forget(&mut self) {
        self.by_number.clear();
        self.by_start.clear();
    }

    fn remember(&mut self, id: DatasetId, chunk: Chunk) {
        if self.by_start.len() >= MOST_CHUNKS || self.by_number.len() >= MOST_CHUNKS {
            self.forget();
        }
        self.by_number.insert((id, chunk.number), (chunk.start, chunk.length));
        self.by_start.insert(chunk.start, (id, chunk.number, chunk.length));
    }

    fn landmark(&mut self, id: DatasetId, landmark: Landmark) {
        if self.landmarks.len() < MOST_LANDMARKS
            && self.landmarks.insert(landmark.range.start(), (id, landmark)).is_none()
        {
            self.nodes.push((id, landmark.range));
        }
    }

    /// The nodes of indexes that have become known since the last call.
    pub(crate) fn take_nodes(&mut self) -> Vec<(DatasetId, ByteRange)> {
        std::mem::take(&mut self.nodes)
    }

    /// The dataset whose index has a node here.
    pub(crate) fn index_at(&self, range: ByteRange) -> Option<DatasetId> {
        self.at_landmark(range).map(|(dataset, _)| *dataset)
    }

    fn take_in(&mut self, id: DatasetId, seen: Seen) {
        for chunk in seen.chunks {
            self.remember(id, chunk);
        }
        for landmark in seen.landmarks {
            self.landmark(id, landmark);
        }
    }

    /// Walks through indexes so far, which is what costs time.
    pub(crate) fn searches(&self) -> u64 {
        self.searches
    }

    /// Looks for a chunk by its number.
    pub(crate) fn find(
        &mut self,
        id: DatasetId,
        number: u64,
        memory: &dyn Memory,
        format: &Format,
    ) -> Outcome {
        if let Some(&(start, length)) = self.by_number.get(&(id, number)) {
            return Outcome::Chunk(Chunk { number, start, length });
        }
        let Some(dataset) = self.datasets.get(id) else { return Outcome::Nothing };
        let Some(key) = index::key(dataset, number) else { return Outcome::Nothing };
        self.searches += 1;
        let mut seen = Seen::default();
        let outcome = index::search(dataset, key, memory, format, &mut seen);
        if let Outcome::Chunk(chunk) = outcome {
            // Kept even where the node's chunks are too many to be kept all.
            seen.chunks.push(chunk);
        }
        self.take_in(id, seen);
        outcome
    }

    /// Looks for chunks here and there, to come to know the nodes that lead to them: an array's header does not name
    /// them all as a tree's root does.
    pub(crate) fn sample(&mut self, id: DatasetId, memory: &dyn Memory, format: &Format) {
        let total = self.datasets.get(id).map_or(0, |dataset| dataset.grid.total());
        let step = usize::try_from(total.div_ceil(SAMPLES)).unwrap_or(usize::MAX).max(1);
        for number in (0..total).step_by(step) {
            self.find(id, number, memory, format);
        }
    }

    /// The key of a chunk's number, to compare with those of a missing node.
    pub(crate) fn is_under(&self, id: DatasetId, number: u64, keys: &Range<u64>) -> bool {
        let key = self.datasets.get(id).and_then(|dataset| index::key(dataset, number));
        key.is_some_and(|key| keys.contains(&key))
    }

    fn at_landmark(&self, range: ByteRange) -> Option<&(DatasetId, Landmark)> {
        let (_, found) = self.landmarks.range(..=range.start()).next_back()?;
        (range.start() < found.1.range.end()).then_some(found)
    }

    /// Learns what a node of an index says that libhdf5 reads; false where it is none, or not there yet.
    pub(crate) fn learn(&mut self, range: ByteRange, memory: &dyn Memory, format: &Format) -> bool {
        let Some(&(id, landmark)) = self.at_landmark(range) else { return false };
        let Some(dataset) = self.datasets.get(id) else { return false };
        let offset = range.start() - landmark.range.start();
        let within = landmark.paging.map_or(0, |paging| paging.index_at(offset));
        let mut seen = Seen::default();
        let outcome = index::search(dataset, landmark.key.saturating_add(within), memory, format, &mut seen);
        self.take_in(id, seen);
        !matches!(outcome, Outcome::Missing { node, .. } if !node.intersection(range).is_empty())
    }

    /// The chunk that a place in the file is in, if its index has been seen.
    pub(crate) fn at(&mut self, offset: u64, format: &Format) -> Option<Place> {
        let (&start, &(dataset, number, length)) = self.by_start.range(..=offset).next_back()?;
        if offset - start < length {
            return Some(Place { dataset, chunk: Chunk { number, start, length } });
        }
        // Without an index only the first chunk is remembered: the others follow it.
        let chunk = index::without_index_at(self.datasets.get(dataset)?, offset, format)?;
        Some(Place { dataset, chunk })
    }
}
