//! What is fetched before a read asks for it: guesses, the rest of small files, and what the program wishes for.

use std::collections::HashSet;
use std::ops::Range;

use super::{Ahead, Foretold, Reader, budget, completion, neighbours, plan, streams};
use crate::floor::range::ByteRange;
use crate::store::Supply;
use crate::transport::Urgency;

impl Reader {
    /// Fetches all that is missing of a small file, if a read that had to wait was one too many.
    pub(super) fn complete_after_miss(&self) {
        if self.complete && self.ahead_with_rest(|ahead, rest| ahead.completion.waited(rest)) {
            self.complete_file();
        }
    }

    /// The same, if what has been lost before is enough.
    pub(super) fn complete_if_due(&self) {
        if self.complete && self.ahead_with_rest(|ahead, rest| ahead.completion.is_due(rest)) {
            self.complete_file();
        }
    }

    /// The same, if it takes no longer than so many requests for pieces of it.
    fn complete_instead(&self, requests: usize) -> bool {
        let due = self.completion_pays(requests);
        if due {
            self.complete_file();
        }
        due
    }

    /// Whether all that is missing of the file should be fetched now instead of so many pieces of it.
    pub(super) fn completion_pays(&self, requests: usize) -> bool {
        self.complete && self.ahead_with_rest(|ahead, rest| ahead.completion.scattered(requests, rest))
    }

    fn ahead_with_rest<T>(&self, decide: impl FnOnce(&mut Ahead, &completion::Rest) -> T) -> T {
        let rest = completion::Rest {
            bytes: self.store.unknown() * self.store.geometry().block_size,
            max_connections: self.plan_limits.max_connections,
            pace: self.fetch.pace(),
        };
        decide(&mut self.ahead(), &rest)
    }

    fn complete_file(&self) {
        let geometry = self.store.geometry();
        let slots = self.store.claim_guesses(0..geometry.count(), u64::MAX);
        self.guessed(slots.len() as u64 * geometry.block_size);
        let wanted = self.wanted_soon();
        for run in neighbours(slots) {
            self.start(run, Urgency::Guess, wanted);
        }
    }

    /// Starts fetching what is likely to be read after `range`.
    pub(super) fn look_ahead(&self, range: ByteRange, supply: Supply, foretold: Foretold) {
        if !self.read_ahead || foretold == Foretold::ToTheEnd {
            return;
        }
        let (wishes, overtaken) = {
            let mut ahead = self.ahead();
            let allowance = self.allowance_of(&ahead.budget);
            let limits = streams::Limits { steps: foretold != Foretold::Chunks, ..self.stream_limits };
            (ahead.streams.observe(range, supply, allowance, &limits), ahead.streams.take_overtaken())
        };
        if let Some(range) = overtaken {
            self.fetch.cancel(range);
        }
        if !wishes.is_empty() {
            self.guess(&wishes, Urgency::Guess);
        }
    }

    /// Whether reading ahead will bring `range` soon anyway.
    pub(crate) fn will_pass(&self, range: ByteRange) -> bool {
        self.read_ahead && self.ahead().streams.will_pass(range)
    }

    /// Starts fetching what of `wishes` nobody has asked for, as far as the budget goes: the first one that it left out.
    pub(crate) fn guess(&self, wishes: &[ByteRange], urgency: Urgency) -> Option<ByteRange> {
        let geometry = self.store.geometry();
        let blocks: Vec<Range<u64>> = wishes.iter().map(|wish| geometry.blocks(*wish)).collect();
        // What the budget leaves out is what comes last. What is here, or wished for twice, takes nothing of it.
        let most = self.allowance() / geometry.block_size;
        let mut counted = HashSet::new();
        let costs = blocks.iter().map(|blocks| match counted.insert(blocks) {
            true => self.store.unknown_of(blocks.clone(), most.saturating_add(1)),
            false => 0,
        });
        let affordable = plan::prefix(costs, most);
        let gap = plan::worthwhile_gap(self.fetch.pace());
        let runs = plan::join(blocks[..affordable].to_vec(), gap / geometry.block_size);
        if self.complete_instead(runs.len()) {
            return None;
        }
        let wanted = self.wanted_soon();
        for run in runs {
            let slots = self.store.claim_guesses(run, self.allowance() / geometry.block_size);
            self.guessed(slots.len() as u64 * geometry.block_size);
            for run in neighbours(slots) {
                self.start(run, urgency, wanted);
            }
        }
        let left_out = |blocks: &Range<u64>| !blocks.is_empty() && !self.store.is_known(blocks.end - 1);
        blocks.iter().position(left_out).and_then(|at| wishes.get(at)).copied()
    }

    fn wanted_soon(&self) -> plan::Wanted {
        let read = self.ahead().budget.touched();
        plan::Wanted::Soon { piece: plan::guess_piece(read, self.store.geometry().file_size) }
    }

    /// Bytes that may be guessed now.
    fn allowance(&self) -> u64 {
        self.allowance_of(&self.ahead().budget)
    }

    fn allowance_of(&self, budget: &budget::Budget) -> u64 {
        let block_size = self.store.geometry().block_size;
        let (lost, wasted) = (self.store.lost() * block_size, self.store.wasted() * block_size);
        budget.allowance(lost, wasted, self.store.working_bytes())
    }

    /// Starts fetching what of `ranges` is not here, and returns. The program asked for it, so it is
    /// no guess; only the room in the cache bounds it.
    pub(crate) fn prefetch(&self, ranges: &[ByteRange]) {
        let geometry = self.store.geometry();
        let file = ByteRange::new(0, geometry.file_size);
        let wanted: Vec<Range<u64>> =
            ranges.iter().map(|range| geometry.blocks(range.intersection(file))).collect();
        let mut room = self.store.working_bytes() / geometry.block_size;
        for blocks in self.joined(wanted) {
            let end = blocks.end.min(blocks.start.saturating_add(room));
            room -= end - blocks.start;
            let slots = self.store.claim_guesses(blocks.start..end, u64::MAX);
            self.guessed(slots.len() as u64 * geometry.block_size);
            for run in neighbours(slots) {
                // In the sizes of a demand: the read that wants it comes next.
                self.start(run, Urgency::Demand, plan::Wanted::Now);
            }
        }
    }

    /// The blocks of `wanted` in ascending order, near ones as one range. What lies between these is no part of the
    /// wish: it is fetched on the budget of guesses, or not.
    pub(super) fn joined(&self, wanted: Vec<Range<u64>>) -> Vec<Range<u64>> {
        let gap = plan::worthwhile_gap(self.fetch.pace()) / self.store.geometry().block_size;
        let (exact, joined) = (plan::join(wanted.clone(), 0), plan::join(wanted, gap));
        let filling = plan::count(&joined) - plan::count(&exact);
        if filling * self.store.geometry().block_size <= self.allowance() { joined } else { exact }
    }
}
