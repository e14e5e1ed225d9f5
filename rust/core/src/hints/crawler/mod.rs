//! Follows a file's metadata from the root on: looks at what is in memory, wishes for what is not.
//!
//! Nearest to what libhdf5 last read comes first, then in order of discovery. Every address is looked at
//! once. Raw data and the insides of chunk indexes are left alone: only reads say which of them matter.

mod dense;
mod object;
mod queue;

use std::collections::HashMap;

pub(crate) use queue::{Job, Purpose, Queue, Target};

use self::queue::LONGEST_JOB;
use super::dataset::Dataset;
use super::format::dataspace::Dataspace;
use super::format::layout::Layout;
use super::format::object_header;
use super::format::superblock::Superblock;
use super::format::symbol_node::{self, SymbolTable};
use super::format::{Format, btree_v1, global_heap, local_heap};
use super::memory::Memory;
use super::{Why, Wish};
use crate::floor::range::ByteRange;

/// Work done in one call.
const MOST_WORK: usize = 512;
/// Bytes looked at over a file's life, beyond 16 times its size.
const FREE_BYTES: u64 = 64 << 20;
/// Longest thing without pointers that is wished for.
const LONGEST_PLAIN: u64 = 1 << 20;
/// Heap collections of one dataset's raw data that are of interest.
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
    /// Bytes that may yet be looked at: a file that sends one in circles is given up in the end.
    left: u64,
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
            left: superblock.format.file_size.saturating_mul(16).saturating_add(FREE_BYTES),
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
        self.left > 0 && !self.queue.is_idle()
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
        let mut work = 0;
        while work < MOST_WORK && self.left > 0 {
            let Some(mut job) = self.queue.pop() else { break };
            work += job.work();
            let wanted = match job.target {
                Target::Plain | Target::IndexRoot if job.range.length() > LONGEST_JOB => None,
                _ => memory.get(job.range),
            };
            if let Some(bytes) = wanted {
                self.left = self.left.saturating_sub(bytes.len() as u64);
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
}

#[cfg(test)]
mod tests;
