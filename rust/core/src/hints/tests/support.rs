//! Files and memories for tests.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use super::super::*;

/// All of a file in memory.
pub(in crate::hints) struct Whole(pub(in crate::hints) Vec<u8>);

impl Memory for Whole {
    fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
        Some(self.0.get(range.start() as usize..range.end() as usize)?.to_vec())
    }
}

/// Blocks of a file in memory.
pub(in crate::hints) struct Blocks<'a> {
    pub(in crate::hints) file: &'a [u8],
    pub(in crate::hints) block: u64,
    pub(in crate::hints) here: BTreeSet<u64>,
}

impl Memory for Blocks<'_> {
    fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
        let mut blocks = range.start() / self.block..range.end().div_ceil(self.block);
        let all = blocks.all(|block| self.here.contains(&block));
        all.then(|| self.file.get(range.start() as usize..range.end() as usize).map(<[u8]>::to_vec))?
    }
}

impl<'a> Blocks<'a> {
    pub(in crate::hints) fn new(file: &'a [u8], block: u64, head: u64) -> Self {
        Self { file, block, here: (0..head.div_ceil(block)).collect() }
    }

    /// Brings what wishes are for; the blocks that were not there.
    pub(in crate::hints) fn fetch(&mut self, wishes: &[Wish], hints: &mut Hints) -> usize {
        let mut new = BTreeSet::new();
        for wish in wishes {
            assert!(wish.range.end() <= self.file.len() as u64 && !wish.range.is_empty(), "{wish:?}");
            new.extend(wish.range.start() / self.block..wish.range.end().div_ceil(self.block));
        }
        let new: Vec<u64> = new.difference(&self.here).copied().collect();
        self.here.extend(&new);
        for block in &new {
            let end = ((block + 1) * self.block).min(self.file.len() as u64);
            hints.landed(ByteRange::new(block * self.block, end));
        }
        new.len()
    }
}

/// All wishes there are before other bytes land.
pub(in crate::hints) fn all_wishes(hints: &mut Hints, memory: &dyn Memory) -> Vec<Wish> {
    let mut wishes = Vec::new();
    loop {
        let more = hints.advance(memory, 100);
        wishes.extend_from_slice(&more);
        if more.is_empty() && !hints.has_more() {
            return wishes;
        }
    }
}

pub(in crate::hints) fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src/hints/fixtures")
}

/// A file of the corpus or of the fixtures, where it is here: not all of the corpus is in the repository.
pub(in crate::hints) fn file(name: &str) -> Option<Vec<u8>> {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/data");
    let corpus = std::env::var_os("REMFILE_CORPUS_DIR").map(PathBuf::from);
    let folders = [Some(fixtures()), corpus, Some(data)];
    folders.into_iter().flatten().find_map(|folder| std::fs::read(folder.join(name)).ok())
}
