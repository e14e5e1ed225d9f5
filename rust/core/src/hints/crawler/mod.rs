//! Follows a file's metadata from the root on: looks at what is in memory, wishes for what is not.
//!
//! Nearest to what libhdf5 last read comes first, then in order of discovery. Every address is looked at
//! once. Raw data and the insides of chunk indexes are left alone: only reads say which of them matter.

mod dense;
mod queue;

use std::collections::HashMap;

pub(crate) use queue::{Job, Purpose, Queue, Target};

use self::queue::LONGEST_JOB;
use super::dataset::Dataset;
use super::format::dataspace::Dataspace;
use super::format::layout::Layout;
use super::format::link::Dense;
use super::format::message::Message;
use super::format::object_header::{self, Version};
use super::format::superblock::Superblock;
use super::format::symbol_node::{self, SymbolTable};
use super::format::{Format, btree_v1, btree_v2, fractal_heap, global_heap, local_heap};
use super::memory::Memory;
use super::{Why, Wish, index};
use crate::floor::range::ByteRange;

/// Jobs done in one call.
const MOST_STEPS: usize = 512;
/// Objects whose messages are spread over several blocks, being put together.
const MOST_DRAFTS: usize = 1 << 12;
/// Longest thing without pointers that is wished for.
const LONGEST_PLAIN: u64 = 1 << 20;
/// Of raw data that point to heap collections, what is looked at, and collections of it.
const ELEMENTS_LENGTH: u64 = 1 << 16;
const MOST_COLLECTIONS: usize = 256;

/// A dataset as far as its messages have been seen.
#[derive(Clone, Debug, Default)]
struct Draft {
    space: Option<Dataspace>,
    layout: Option<Layout>,
    variable_length: bool,
}

/// The state of one file's crawl.
#[derive(Debug)]
pub(crate) struct Crawler {
    format: Format,
    queue: Queue,
    drafts: HashMap<u64, Draft>,
    /// Datasets found since they were last taken.
    datasets: Vec<Dataset>,
    /// Where object headers were.
    #[cfg(test)]
    pub(crate) headers: std::collections::BTreeSet<u64>,
}

impl Crawler {
    pub(crate) fn new(superblock: &Superblock) -> Self {
        let mut crawler = Self {
            format: superblock.format,
            queue: Queue::default(),
            drafts: HashMap::new(),
            datasets: Vec::new(),
            #[cfg(test)]
            headers: std::collections::BTreeSet::new(),
        };
        if let Some(extension) = superblock.extension {
            crawler.header(extension, true, 0);
        }
        if let Some(root) = superblock.root.header {
            crawler.header(root, false, 0);
        }
        if let Some(table) = superblock.root.symbol_table {
            crawler.symbol_table(&table, 0);
        }
        crawler
    }

    pub(crate) fn format(&self) -> &Format {
        &self.format
    }

    pub(crate) fn has_more(&self) -> bool {
        !self.queue.is_idle()
    }

    /// The chunked datasets found since the last call.
    pub(crate) fn take_datasets(&mut self) -> Vec<Dataset> {
        std::mem::take(&mut self.datasets)
    }

    /// Bytes have come into memory.
    pub(crate) fn landed(&mut self, range: ByteRange) {
        self.queue.landed(range, None);
    }

    /// libhdf5 reads metadata here: what they lead to is what it wants next.
    pub(crate) fn touched(&mut self, range: ByteRange, may_be_header: bool) {
        self.queue.hasten(range.start(), 0);
        self.queue.landed(range, Some(range.start()));
        // It reads so much of a header when it does not know its length.
        let first = self.format.range(range.start(), object_header::FIRST_LENGTH) == Some(range);
        if self.queue.has_seen(range.start()) {
            self.queue.push(Job { range, target: Target::Again, distance: 0, wished: true });
        } else if may_be_header && first {
            self.header(range.start(), false, 0);
        }
    }

    /// Looks at what is in memory and tells what should be fetched, at most `most` wishes.
    pub(crate) fn advance(&mut self, memory: &dyn Memory, most: usize) -> Vec<Wish> {
        let mut wishes = Vec::new();
        for _ in 0..MOST_STEPS {
            let Some(mut job) = self.queue.pop() else { break };
            let wanted = match job.target {
                Target::Plain | Target::IndexRoot if job.range.length() > LONGEST_JOB => None,
                _ => memory.get(job.range),
            };
            if let Some(bytes) = wanted {
                self.open(job, &bytes, memory);
                continue;
            }
            if !job.wished {
                if wishes.len() >= most {
                    self.queue.push(job);
                    break;
                }
                let why = if job.target == Target::IndexRoot { Why::ChunkIndex } else { Why::Metadata };
                wishes.push(Wish { range: job.range, why });
                job.wished = true;
            }
            if !matches!(job.target, Target::Plain | Target::IndexRoot | Target::Again) {
                self.queue.wait(job);
            }
        }
        wishes
    }

    fn add(&mut self, target: Target, start: u64, length: u64, distance: u32) {
        let most = if target == Target::Plain { LONGEST_PLAIN } else { LONGEST_JOB };
        if let Some(range) = self.format.range(start, length.min(most)) {
            self.queue.add(Job { range, target, distance, wished: false });
        }
    }

    fn header(&mut self, address: u64, extension: bool, distance: u32) {
        self.add(Target::Header { extension }, address, object_header::FIRST_LENGTH, distance);
    }

    fn symbol_table(&mut self, table: &SymbolTable, distance: u32) {
        if let Some(btree) = table.btree {
            self.add(Target::GroupNode, btree, btree_v1::group_node_length(&self.format), distance);
        }
        if let Some(heap) = table.heap {
            self.add(Target::LocalHeap, heap, local_heap::HEADER_LENGTH, distance);
        }
    }

    fn collection(&mut self, address: u64, distance: u32) {
        self.add(Target::Collection, address, global_heap::LEAST_LENGTH, distance);
    }

    /// Looks at the bytes of a job.
    fn open(&mut self, job: Job, bytes: &[u8], memory: &dyn Memory) {
        let (start, distance) = (job.range.start(), job.distance);
        match job.target {
            Target::Header { extension } => self.open_header(&job, bytes, extension),
            Target::Continuation { owner, version } => {
                let messages = object_header::continuation_messages(bytes, version, &self.format);
                self.messages(messages.unwrap_or_default(), owner, version, false, distance);
            }
            Target::GroupNode => self.open_group_node(bytes, distance),
            Target::SymbolNode => self.open_symbol_node(bytes, distance),
            Target::LocalHeap => {
                if let Some(data) = local_heap::local_heap(bytes, &self.format) {
                    self.add(Target::Plain, data.start(), data.length(), distance);
                }
            }
            Target::Collection => {
                if let Some(length) = global_heap::global_heap(bytes, &self.format)
                    && length > job.range.length()
                    && let Some(range) = self.format.range(start, length.min(LONGEST_PLAIN))
                {
                    self.queue.push(Job { range, target: Target::Plain, distance, wished: false });
                }
            }
            Target::Elements => {
                for collection in global_heap::collections(bytes, &self.format, MOST_COLLECTIONS) {
                    self.collection(collection, distance);
                }
            }
            Target::Again => self.open_again(&job, bytes),
            Target::Plain | Target::IndexRoot => (),
            target => self.open_dense(target, bytes, distance, memory),
        }
    }

    fn open_again(&mut self, job: &Job, bytes: &[u8]) {
        if bytes.starts_with(b"SNOD") {
            self.open_symbol_node(bytes, 0);
        } else if bytes.starts_with(b"TREE") {
            self.open_group_node(bytes, 0);
        } else if bytes.starts_with(b"OHDR") || bytes.starts_with(&[1, 0]) {
            self.open_header(job, bytes, false);
        }
    }

    fn open_header(&mut self, job: &Job, bytes: &[u8], extension: bool) {
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

    fn open_group_node(&mut self, bytes: &[u8], distance: u32) {
        let Some(node) = btree_v1::group_node(bytes, &self.format) else { return };
        let (target, length) = if node.level == 0 {
            (Target::SymbolNode, symbol_node::node_length(&self.format))
        } else {
            (Target::GroupNode, btree_v1::group_node_length(&self.format))
        };
        for child in node.children {
            self.add(target.clone(), child, length, distance);
        }
    }

    fn open_symbol_node(&mut self, bytes: &[u8], distance: u32) {
        for entry in symbol_node::symbol_node(bytes, &self.format).unwrap_or_default() {
            if let Some(header) = entry.header {
                self.header(header, false, distance + 1);
            }
            if let Some(table) = entry.symbol_table {
                self.symbol_table(&table, distance + 1);
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
    fn messages(
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

#[cfg(test)]
mod tests;
