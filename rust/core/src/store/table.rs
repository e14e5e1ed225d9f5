//! What is known of each block, and which of them have not been of use for longest.
//!
//! Neighbouring blocks are looked up, and were last used, together: reads and fetches are of many of them, and a
//! search for each would cost more than copying it.

use std::ops::Range;
use std::sync::Arc;

use lru::LruCache;

use crate::store::{Block, Claim, Found, Slot};

/// Blocks of one group.
const GROUP: u64 = 16;

/// The blocks of one file that are here or on their way.
pub(crate) struct Table {
    groups: LruCache<u64, Group>,
    ready: usize,
    awaited: usize,
}

type Group = [Entry; GROUP as usize];

/// `guess`: fetched on a guess, and not touched by a read so far.
#[derive(Default)]
enum Entry {
    #[default]
    Unknown,
    Awaited {
        slot: Arc<Slot>,
        guess: bool,
    },
    Ready {
        block: Block,
        guess: bool,
    },
}

/// What had to make room for other blocks.
#[derive(Default)]
pub(crate) struct DrivenOut {
    pub(crate) blocks: Vec<Block>,
    /// How many of them were guesses that no read had touched.
    pub(crate) wasted: u64,
}

impl Table {
    pub(crate) fn new() -> Self {
        // Unbounded for the crate, which would else allocate all of the bound at once.
        Self { groups: LruCache::unbounded(), ready: 0, awaited: 0 }
    }

    /// Complete and awaited blocks.
    pub(crate) fn known(&self) -> usize {
        self.ready + self.awaited
    }

    /// Calls `visit` for each of `blocks`, in order, until it says no.
    fn visit(&mut self, blocks: Range<u64>, mut visit: impl FnMut(u64, &mut Entry) -> bool) {
        let mut start = blocks.start;
        while start < blocks.end {
            let first = start / GROUP * GROUP;
            let end = blocks.end.min(first.saturating_add(GROUP));
            let group = self.groups.get_or_insert_mut(first, Group::default);
            for (block, entry) in (first..).zip(group.iter_mut()) {
                if (start..end).contains(&block) && !visit(block, entry) {
                    return;
                }
            }
            start = end;
        }
    }

    /// The block if it is complete, and whether it was a guess that no read had touched.
    pub(crate) fn get(&mut self, block: u64) -> Option<(Block, bool)> {
        match self.groups.get_mut(&(block / GROUP * GROUP))?.get_mut(place(block))? {
            Entry::Ready { block, guess } => Some((Arc::clone(block), std::mem::take(guess))),
            Entry::Unknown | Entry::Awaited { .. } => None,
        }
    }

    /// The block if it is complete, without taking that for use of it.
    pub(crate) fn peek(&self, block: u64) -> Option<&Block> {
        match self.groups.peek(&(block / GROUP * GROUP))?.get(place(block))? {
            Entry::Ready { block, .. } => Some(block),
            Entry::Unknown | Entry::Awaited { .. } => None,
        }
    }

    /// Whether the block is complete or awaited.
    pub(crate) fn knows(&self, block: u64) -> bool {
        let group = self.groups.peek(&(block / GROUP * GROUP));
        let entry = group.and_then(|group| group.get(place(block)));
        entry.is_some_and(|entry| !matches!(entry, Entry::Unknown))
    }

    /// What there is of `wanted` for a read. What is unknown is awaited from now on.
    pub(crate) fn claim(&mut self, wanted: Range<u64>) -> Claim {
        let mut found = Vec::with_capacity(usize::try_from(wanted.end - wanted.start).unwrap_or(0));
        let (mut proved, mut awaited) = (0, 0);
        self.visit(wanted, |block, entry| {
            let (what, guess) = match entry {
                Entry::Ready { block, guess } => (Found::Ready(Arc::clone(block)), std::mem::take(guess)),
                Entry::Awaited { slot, guess } => (Found::Pending(Arc::clone(slot)), std::mem::take(guess)),
                Entry::Unknown => {
                    awaited += 1;
                    (Found::Claimed(entry.wait_for(block, false)), false)
                }
            };
            proved += u64::from(guess);
            found.push(what);
            true
        });
        self.awaited += awaited;
        Claim { found, proved }
    }

    /// Those of `wanted` that are unknown, at most so many; they are awaited from now on.
    pub(crate) fn claim_unknown(&mut self, wanted: Range<u64>, most: usize, guess: bool) -> Vec<Arc<Slot>> {
        let mut claimed = Vec::new();
        if most == 0 {
            return claimed;
        }
        self.visit(wanted, |block, entry| {
            if claimed.len() < most && matches!(entry, Entry::Unknown) {
                claimed.push(entry.wait_for(block, guess));
            }
            claimed.len() < most
        });
        self.awaited += claimed.len();
        claimed
    }

    /// Takes in complete blocks.
    pub(crate) fn take_in(&mut self, blocks: &[(Arc<Slot>, Block)]) {
        for run in blocks.chunk_by(|(slot, _), (next, _)| slot.block() + 1 == next.block()) {
            let Some((first, _)) = run.first() else { continue };
            let wanted = first.block()..first.block() + run.len() as u64;
            let mut arriving = run.iter();
            let (mut were_awaited, mut were_ready) = (0, 0);
            self.visit(wanted, |_, entry| {
                let Some((_, block)) = arriving.next() else { return false };
                let guess = matches!(entry, Entry::Awaited { guess: true, .. });
                were_awaited += usize::from(matches!(entry, Entry::Awaited { .. }));
                were_ready += usize::from(matches!(entry, Entry::Ready { .. }));
                *entry = Entry::Ready { block: Arc::clone(block), guess };
                true
            });
            self.awaited -= were_awaited;
            self.ready += run.len() - were_ready;
        }
    }

    /// The block is no longer awaited. Whether it was a guess that no read waits for.
    pub(crate) fn forget(&mut self, block: u64) -> bool {
        let key = block / GROUP * GROUP;
        let Some(group) = self.groups.peek_mut(&key) else { return false };
        let mut was_guess = false;
        if let Some(entry) = group.get_mut(place(block))
            && let Entry::Awaited { guess, .. } = entry
        {
            was_guess = *guess;
            *entry = Entry::Unknown;
            self.awaited -= 1;
        }
        if group.iter().all(|entry| matches!(entry, Entry::Unknown)) {
            self.groups.pop(&key);
        }
        was_guess
    }

    /// Drives out complete blocks until there are at most so many, least recently used groups first.
    pub(crate) fn drive_out(&mut self, most: usize) -> DrivenOut {
        let mut out = DrivenOut::default();
        while self.ready > most {
            let Some(key) = self.groups.peek_lru().map(|(key, _)| *key) else { break };
            let Some(group) = self.groups.peek_mut(&key) else { break };
            for entry in group.iter_mut() {
                if self.ready > most
                    && let Entry::Ready { block, guess } = entry
                {
                    out.wasted += u64::from(*guess);
                    out.blocks.push(Arc::clone(block));
                    *entry = Entry::Unknown;
                    self.ready -= 1;
                }
            }
            if group.iter().any(|entry| matches!(entry, Entry::Awaited { .. })) {
                self.groups.promote(&key);
            } else if self.ready > most {
                self.groups.pop(&key);
            }
        }
        out
    }

    /// Bytes of all complete blocks.
    pub(crate) fn ready_bytes(&self) -> u64 {
        let length =
            |entry: &Entry| if let Entry::Ready { block, .. } = entry { block.len() as u64 } else { 0 };
        self.groups.iter().flat_map(|(_, group)| group).map(length).sum()
    }
}

impl Entry {
    fn wait_for(&mut self, block: u64, guess: bool) -> Arc<Slot> {
        let slot = Arc::new(Slot::new(block));
        *self = Self::Awaited { slot: Arc::clone(&slot), guess };
        slot
    }
}

/// Where in its group a block is.
fn place(block: u64) -> usize {
    usize::try_from(block % GROUP).unwrap_or(0)
}
