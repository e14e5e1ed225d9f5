//! In which order a grid of chunks is read, and so what comes next. Pure.
//!
//! A read of a selection visits chunks in row-major order: the place moves along one dimension to the end
//! of the selection's span, starts again one step further in the next outer one, and so on, like an
//! odometer. A walk learns the wheels from the moves it sees: which dimension moves first, by which step,
//! from where to where. Columns, rows, planes, every n-th chunk and backward runs are all of this kind.

/// One wheel of the odometer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Wheel {
    pub(crate) dim: usize,
    pub(crate) step: i64,
    /// Where it starts again, and after which place, once that has been seen.
    pub(crate) first: u64,
    pub(crate) last: Option<u64>,
    /// The step is to a neighbour, or has been seen twice: one leap foretells nothing.
    pub(crate) sure: bool,
}

/// How a place follows from the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Move {
    /// As the wheels had it.
    Expected,
    /// Something new that wheels can turn to.
    Learned,
    /// To anywhere. `row`: it is the start of a row as those before were.
    Jump { row: bool },
}

/// The walk of a reader over one dataset's chunks.
#[derive(Clone, Debug, Default)]
pub(crate) struct Walk {
    place: Vec<u64>,
    /// Innermost first, that is fastest.
    wheels: Vec<Wheel>,
    /// How many of them have moved since the last jump.
    moving: usize,
}

fn difference(from: u64, to: u64) -> i64 {
    i64::try_from(i128::from(to) - i128::from(from)).unwrap_or(0)
}

fn stepped(at: u64, step: i64, count: u64) -> Option<u64> {
    at.checked_add_signed(step).filter(|&at| at < count)
}

impl Walk {
    pub(crate) fn place(&self) -> &[u64] {
        &self.place
    }

    /// Goes to `place`, learns from the move and says what it was.
    pub(crate) fn go(&mut self, place: Vec<u64>) -> Move {
        let from = std::mem::replace(&mut self.place, place);
        if from.len() != self.place.len() {
            self.wheels.clear();
            return self.jump(false);
        }
        let at = |of: &[u64], dim: usize| of.get(dim).copied().unwrap_or_default();
        let moved: Vec<usize> =
            (0..from.len()).filter(|&dim| at(&from, dim) != at(&self.place, dim)).collect();
        // Inner wheels that went back to their start, then one that made a step.
        for number in 0..self.wheels.len() {
            let (inner, outer) = self.wheels.split_at(number);
            let Some(wheel) = outer.first() else { break };
            let step = difference(at(&from, wheel.dim), at(&self.place, wheel.dim));
            let alone =
                moved.iter().all(|&dim| dim == wheel.dim || inner.iter().any(|inner| inner.dim == dim));
            let back = inner.iter().all(|inner| at(&self.place, inner.dim) == inner.first);
            if step != 0 && alone && back {
                return self.turn(number, step, &from);
            }
        }
        // A dimension that has not moved before becomes the next outer wheel.
        let back = self.wheels.iter().all(|wheel| at(&self.place, wheel.dim) == wheel.first);
        let new: Vec<usize> =
            moved.into_iter().filter(|&dim| self.wheels.iter().all(|wheel| wheel.dim != dim)).collect();
        match new[..] {
            [dim] if back => {
                let step = difference(at(&from, dim), at(&self.place, dim));
                let number = self.wheels.len();
                self.wheels.push(Wheel { dim, step: 0, first: at(&from, dim), last: None, sure: false });
                self.turn(number, step, &from)
            }
            _ => {
                let place = &self.place;
                let row = self
                    .wheels
                    .first()
                    .is_some_and(|wheel| wheel.last.is_some() && at(place, wheel.dim) == wheel.first);
                self.wheels.truncate(usize::from(row));
                self.jump(row)
            }
        }
    }

    /// To anywhere: no wheel is in motion.
    fn jump(&mut self, row: bool) -> Move {
        self.moving = 0;
        Move::Jump { row }
    }

    /// Wheel `number` made a step, those within went back to their start.
    fn turn(&mut self, number: usize, step: i64, from: &[u64]) -> Move {
        let place = self.place.clone();
        let at = |of: &[u64], dim: usize| of.get(dim).copied().unwrap_or_default();
        let mut news = number >= self.moving;
        for wheel in self.wheels.iter_mut().take(number) {
            let last = Some(at(from, wheel.dim));
            // A longer or shorter row than before; the first one is news, no surprise.
            news |= wheel.last.is_some() && wheel.last != last;
            wheel.last = last;
        }
        let Some(wheel) = self.wheels.get_mut(number) else { return self.jump(false) };
        if wheel.step == step {
            news |= !wheel.sure;
            wheel.sure = true;
        } else {
            let new = wheel.step == 0;
            *wheel = Wheel { step, sure: step.unsigned_abs() == 1, ..*wheel };
            if !new && number == 0 {
                // It starts anew: what it spanned before was another run.
                (wheel.first, wheel.last) = (at(from, wheel.dim), None);
                if !wheel.sure {
                    wheel.first = at(&place, wheel.dim);
                }
            }
            news = true;
            let sure = wheel.sure;
            self.wheels.truncate(number + 1);
            if !sure {
                return self.jump(number > 0);
            }
        }
        if let Some(wheel) = self.wheels.get_mut(number)
            && wheel.last == Some(at(from, wheel.dim))
        {
            // Beyond where it ended before.
            wheel.last = None;
            news = true;
        }
        self.moving = self.moving.max(number + 1);
        if news { Move::Learned } else { Move::Expected }
    }

    /// True for a place that differs from the current one only in the dimension that moves first.
    pub(crate) fn is_in_row(&self, place: &[u64]) -> bool {
        let row = self.wheels.first().map(|wheel| wheel.dim);
        place.iter().zip(&self.place).enumerate().all(|(dim, (at, here))| at == here || Some(dim) == row)
    }

    /// The place after `place` in a grid of `counts`; `None` behind the end of what is foreseen.
    ///
    /// Wheels that have not moved since the last jump stay where they are, but for the innermost one
    /// where its span is known.
    pub(crate) fn after(&self, place: &[u64], counts: &[u64]) -> Option<Vec<u64>> {
        let mut next = place.to_vec();
        let known =
            self.moving.max(usize::from(self.wheels.first().is_some_and(|wheel| wheel.last.is_some())));
        for wheel in self.wheels.iter().take(known).take_while(|wheel| wheel.sure) {
            let at = next.get_mut(wheel.dim)?;
            if wheel.last != Some(*at)
                && let Some(moved) = stepped(*at, wheel.step, *counts.get(wheel.dim)?)
            {
                *at = moved;
                return Some(next);
            }
            *at = wheel.first;
        }
        None
    }
}

#[cfg(test)]
mod tests;
