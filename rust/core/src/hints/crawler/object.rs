//! Objects: their headers, and what the messages in them lead to.

use super::super::dataset::Dataset;
use super::super::format::layout::Layout;
use super::super::format::link::Dense;
use super::super::format::message::Message;
use super::super::format::object_header::{self, Version};
use super::super::format::{btree_v2, fractal_heap, local_heap};
use super::super::index;
use super::queue::LONGEST_JOB;
use super::{Crawler, Draft, Job, Purpose, Target};

/// Objects whose messages are spread over several blocks, being put together.
const MOST_DRAFTS: usize = 1 << 12;
/// Of raw data that point to heap collections, what is looked at.
const ELEMENTS_LENGTH: u64 = 1 << 16;

impl Crawler {
    pub(super) fn open_header(&mut self, job: &Job, bytes: &[u8], extension: bool) {
        let Some(prefix) = object_header::prefix(bytes) else { return };
        let start = job.range.start();
        #[cfg(test)]
        self.headers.insert(start);
        let whole = self.format.range(start, prefix.total().min(LONGEST_JOB));
        match whole.filter(|whole| whole.end() > job.range.end()) {
            Some(range) => {
                let target = Target::Header { extension };
                self.queue.push(Job { range, target, distance: job.distance, wished: false });
            }
            None => {
                let messages = object_header::header_messages(bytes, &prefix, &self.format);
                self.messages(messages, start, prefix.version, extension, job.distance);
            }
        }
    }

    fn dense(&mut self, store: &Dense, purpose: Purpose, distance: u32) {
        let Some(heap) = store.heap else { return };
        self.add(Target::Heap, heap, fractal_heap::header_length(&self.format), distance);
        let length = btree_v2::header_length(&self.format);
        for (tree, purpose) in [(store.by_name, purpose), (store.by_order, Purpose::Order)] {
            if let Some(tree) = tree {
                self.add(Target::Tree { heap, purpose }, tree, length, distance);
            }
        }
    }

    /// Follows the messages of the object whose header is at `owner`.
    pub(super) fn messages(
        &mut self,
        found: Vec<Message>,
        owner: u64,
        version: Version,
        extension: bool,
        distance: u32,
    ) {
        let begun = self.drafts.remove(&owner);
        let mut continued = begun.is_some();
        let mut draft = begun.unwrap_or_default();
        for message in found {
            match message {
                Message::Dataspace(space) => draft.space = Some(space),
                Message::Datatype(datatype) => draft.variable_length = datatype.variable_length,
                Message::Layout(layout) => draft.layout = Some(layout),
                Message::Link(header) | Message::Header(header) => self.header(header, false, distance + 1),
                Message::Links(store) => self.dense(&store, Purpose::Links, distance),
                Message::Attributes(store) => self.dense(&store, Purpose::Attributes, distance),
                Message::Attribute(attribute) => {
                    if let Some(header) = attribute.datatype {
                        self.header(header, false, distance + 1);
                    }
                    for collection in attribute.collections {
                        self.collection(collection, distance + 1);
                    }
                }
                Message::SymbolTable(table) => self.symbol_table(&table, distance),
                Message::Continuation(range) => {
                    let target = Target::Continuation { owner, version };
                    self.add(target, range.start(), range.length(), distance);
                    continued = true;
                }
                Message::BtreeK([chunk, internal, leaf]) if extension => {
                    self.format.chunk_k = chunk;
                    self.format.group_internal_k = internal;
                    self.format.group_leaf_k = leaf;
                }
                Message::BtreeK(_) => (),
                Message::ExternalFiles(heap) => {
                    self.add(Target::LocalHeap, heap, local_heap::HEADER_LENGTH, distance);
                }
            }
        }
        self.dataset(owner, &draft, distance);
        let complete = draft.space.is_some() && draft.layout.is_some();
        if continued && !complete && self.drafts.len() < MOST_DRAFTS {
            self.drafts.insert(owner, draft);
        }
    }

    /// Takes note of a dataset whose messages are together.
    fn dataset(&mut self, owner: u64, draft: &Draft, distance: u32) {
        let (Some(space), Some(layout)) = (&draft.space, &draft.layout) else { return };
        match layout {
            Layout::Elsewhere => (),
            Layout::Contiguous(range) if draft.variable_length => {
                // Whoever reads the data goes on to the heaps; nobody need have read the data yet.
                let length = range.length().min(ELEMENTS_LENGTH);
                if let Some(range) = self.format.range(range.start(), length) {
                    self.queue.add(Job { range, target: Target::Elements, distance, wished: true });
                }
            }
            Layout::Contiguous(_) => (),
            Layout::Chunked(chunked) => {
                let Some(dataset) = Dataset::new(owner, space, chunked) else { return };
                if let Some(root) = index::root_range(&dataset, &self.format) {
                    self.add(Target::IndexRoot, root.start(), root.length(), distance + 1);
                }
                self.datasets.push(dataset);
            }
        }
    }
}
