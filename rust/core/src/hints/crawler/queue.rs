//! What is known to exist and not yet looked at: in the order of its use, or waiting for its bytes.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::super::format::object_header::Version;
use super::super::format::{btree_v2, fractal_heap};
use crate::floor::range::ByteRange;

/// Addresses that are remembered; a file with more metadata is followed that far and no further.
const MOST_SEEN: usize = 1 << 17;
/// Longest range of a job, and what most are shorter than: so far before arriving bytes one may begin that
/// waits for them.
pub(crate) const LONGEST_JOB: u64 = 1 << 18;
const SHORT_JOB: u64 = 4096;

/// Objects of a heap looked at in one step.
pub(super) const MOST_OBJECTS: usize = 128;

/// What the objects of a dense store are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    Links,
    Attributes,
    /// A second tree of objects that are found through the first.
    Order,
}

/// What is expected at an address.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Target {
    /// An object header; of the superblock extension, its settings hold for the file.
    Header {
        extension: bool,
    },
    Continuation {
        owner: u64,
        version: Version,
    },
    GroupNode,
    SymbolNode,
    LocalHeap,
    Tree {
        heap: u64,
        purpose: Purpose,
    },
    TreeNode {
        heap: u64,
        purpose: Purpose,
        tree: btree_v2::Tree,
        node: btree_v2::Node,
    },
    Heap,
    HeapBlock {
        heap: fractal_heap::Heap,
        offset: u64,
        rows: u16,
    },
    /// Objects of a heap by their IDs; waits for the part of the heap that it lacks.
    Objects {
        heap: u64,
        purpose: Purpose,
        ids: Vec<Vec<u8>>,
    },
    Collection,
    /// Raw data that point to heap collections.
    Elements,
    /// Nothing that leads on.
    Plain,
    /// The root of a chunk index, which leads on only when chunks are read.
    IndexRoot,
    /// Something looked at before, that libhdf5 reads now: what it leads to comes first.
    Again,
}

/// One thing to look at.
#[derive(Clone, Debug)]
pub(crate) struct Job {
    pub(crate) range: ByteRange,
    pub(crate) target: Target,
    /// Objects between it and the last that libhdf5 read.
    pub(crate) distance: u32,
    /// Its bytes have been wished for, or are not to be.
    pub(crate) wished: bool,
}

/// Place in the order: distance, then order of discovery.
type Turn = (u32, u64);

/// All jobs of a file.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    seen: HashSet<u64>,
    ready: BTreeMap<Turn, Job>,
    /// Where jobs are in `ready`, by address.
    turns: HashMap<u64, Turn>,
    /// Jobs whose bytes are missing, by where these begin; the short ones, and the others.
    waiting: [BTreeMap<(u64, u64), Job>; 2],
    next: u64,
}

impl Job {
    /// What a job costs, in looks at something.
    pub(crate) fn work(&self) -> usize {
        if let Target::Objects { ids, .. } = &self.target { ids.len().min(MOST_OBJECTS) } else { 1 }
    }
}

impl Queue {
    /// Adds a job unless its address has been seen; then one that is still to be done may move forward.
    pub(crate) fn add(&mut self, job: Job) {
        let address = job.range.start();
        if self.seen.contains(&address) {
            self.hasten(address, job.distance);
        } else if self.seen.len() < MOST_SEEN {
            self.seen.insert(address);
            self.push(job);
        }
    }

    pub(crate) fn has_seen(&self, address: u64) -> bool {
        self.seen.contains(&address)
    }

    /// Adds a job whether or not its address has been seen.
    pub(crate) fn push(&mut self, job: Job) {
        let turn = (job.distance, self.next);
        self.next += 1;
        self.turns.insert(job.range.start(), turn);
        self.ready.insert(turn, job);
    }

    /// Puts a job that is still to be done nearer to the front.
    pub(crate) fn hasten(&mut self, address: u64, distance: u32) {
        let Some(&turn) = self.turns.get(&address) else { return };
        if distance < turn.0
            && let Some(job) = self.ready.remove(&turn)
        {
            self.push(Job { distance, ..job });
        }
    }

    /// The next job to look at.
    pub(crate) fn pop(&mut self) -> Option<Job> {
        let (turn, job) = self.ready.pop_first()?;
        let address = job.range.start();
        if self.turns.get(&address) == Some(&turn) {
            self.turns.remove(&address);
        }
        Some(job)
    }

    /// Keeps a job until its bytes arrive.
    pub(crate) fn wait(&mut self, job: Job) {
        let [short, long] = &mut self.waiting;
        let waiting = if job.range.length() <= SHORT_JOB { short } else { long };
        if waiting.len() < MOST_SEEN {
            waiting.insert((job.range.start(), self.next), job);
            self.next += 1;
        }
    }

    /// Wakes the jobs that bytes of `range` are for. `nearer`: libhdf5 itself read what begins there.
    pub(crate) fn landed(&mut self, range: ByteRange, nearer: Option<u64>) {
        let mut awake = Vec::new();
        for (waiting, longest) in self.waiting.iter_mut().zip([SHORT_JOB, LONGEST_JOB]) {
            let first = range.start().saturating_sub(longest);
            let near = waiting.range((first, 0)..(range.end(), 0));
            let keys: Vec<(u64, u64)> =
                near.filter(|(_, job)| job.range.end() > range.start()).map(|(&key, _)| key).collect();
            awake.extend(keys.iter().filter_map(|key| waiting.remove(key)));
        }
        for job in awake {
            let distance = if nearer == Some(job.range.start()) { 0 } else { job.distance };
            self.push(Job { distance, ..job });
        }
    }

    /// True where all jobs wait for bytes.
    pub(crate) fn is_idle(&self) -> bool {
        self.ready.is_empty()
    }
}
