//! Requests that wait to be sent, the urgent ones first.

use std::collections::VecDeque;

use crate::floor::range::ByteRange;
use crate::transport::Urgency;
use crate::transport::answer::Transfer;

#[derive(Default)]
pub(crate) struct Queue {
    demands: VecDeque<Transfer>,
    guesses: VecDeque<Transfer>,
    idle: VecDeque<Transfer>,
}

impl Queue {
    pub(crate) fn push(&mut self, transfer: Transfer) {
        let queue = match transfer.urgency {
            Urgency::Demand => &mut self.demands,
            Urgency::Guess => &mut self.guesses,
            Urgency::Idle => &mut self.idle,
        };
        queue.push_back(transfer);
    }

    /// Makes demands of what reaches into `range` of the origin with this id.
    pub(crate) fn hurry(&mut self, origin: u64, range: ByteRange) {
        let wanted = |transfer: &Transfer| transfer.reaches_into(origin, range);
        for queue in [&mut self.guesses, &mut self.idle] {
            let (urgent, rest): (VecDeque<_>, VecDeque<_>) =
                std::mem::take(queue).into_iter().partition(wanted);
            *queue = rest;
            for transfer in urgent {
                self.demands.push_back(Transfer { urgency: Urgency::Demand, ..transfer });
            }
        }
    }

    /// Takes out all, in the order in which they should be sent.
    pub(crate) fn take(&mut self) -> Vec<Transfer> {
        let Self { demands, guesses, idle } = std::mem::take(self);
        demands.into_iter().chain(guesses).chain(idle).collect()
    }

    /// Takes out those of which `which` is true.
    pub(crate) fn take_if(&mut self, which: impl Fn(&Transfer) -> bool) -> Vec<Transfer> {
        let (out, rest) = self.take().into_iter().partition(which);
        let rest: Vec<Transfer> = rest;
        for transfer in rest {
            self.push(transfer);
        }
        out
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.demands.is_empty() && self.guesses.is_empty() && self.idle.is_empty()
    }
}
