//! One process's way of reading a file: the reader, and hints from the metadata passing by.

use std::sync::{Arc, Mutex, PoisonError};

use crate::file::piece::ReadPiece;
use crate::floor::error::Result;
use crate::floor::options::Options;
use crate::floor::range::ByteRange;
use crate::hints::{Hints, Kind, Memory, Why, Wish};
use crate::reader::{Counters, Foretold, Piece, Reader};
use crate::store::{Geometry, Store, Supply};
use crate::transport::{HttpFetch, Urgency};

/// Ranges that one read may make the hints wish for.
const MOST_WISHES: usize = 512;
/// Metadata that were written last, when a file was closed, lie at its end and are read together.
const TAIL_BYTES: u64 = 256 << 10;
/// Turns of parsing that one read may be held up by; each is bounded.
const MOST_TURNS: usize = 4;

pub(crate) struct Session {
    reader: Reader,
    /// `None` where they are switched off.
    hints: Option<Mutex<Hints>>,
    /// Metadata lie near each other: they are fetched in multiples of so many bytes.
    metadata_unit: u64,
}

impl Memory for Store {
    fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
        self.peek(range)
    }
}

impl Session {
    pub(crate) fn new(
        geometry: Geometry,
        options: &Options,
        fetch: HttpFetch,
        counters: Arc<Counters>,
    ) -> Self {
        let reader = Reader::new(geometry, options, Box::new(fetch), counters);
        let hints = options.hints.then(|| Mutex::new(Hints::new(geometry.file_size)));
        if hints.is_some() {
            reader.store().note_landings();
        }
        Self { reader, hints, metadata_unit: options.min_chunk_size }
    }

    pub(crate) fn reader(&self) -> &Reader {
        &self.reader
    }

    /// Fills `buffer` from `offset` on, or fails. The range must lie in the file.
    pub(crate) fn read(&self, offset: u64, buffer: &mut [u8], kind: Kind) -> Result<()> {
        let range = ByteRange::new(offset, offset.saturating_add(buffer.len() as u64));
        let kind = self.kind_of(kind, range);
        self.reader.read(offset, buffer, is_data(kind), |supply| self.foretell([(kind, range)], supply))
    }

    /// Fills the buffers of `pieces`, or fails. All must lie in the file.
    pub(crate) fn read_vector(&self, pieces: &[ReadPiece<'_>]) -> Result<()> {
        let seen = |piece: &ReadPiece<'_>| (self.kind_of(piece.content(), piece.range()), piece.range());
        let data = pieces.iter().all(|piece| is_data(piece.content()));
        self.reader.read_vector(pieces, data, |now, supply| self.foretell(now.iter().map(seen), supply))
    }

    fn kind_of(&self, said: Kind, range: ByteRange) -> Kind {
        if said == Kind::Raw && self.is_global_heap(range) { Kind::GlobalHeap } else { said }
    }

    /// libhdf5 says of global heap collections that they are raw data. It reads this much of one first
    /// (`H5HG_MINSIZE`).
    fn is_global_heap(&self, range: ByteRange) -> bool {
        const FIRST_LENGTH: u64 = 4096;
        const SIGNATURE: &[u8] = b"GCOL";
        let signature = ByteRange::new(range.start(), range.start().saturating_add(SIGNATURE.len() as u64));
        range.length() == FIRST_LENGTH
            && self.reader.store().peek(signature).is_some_and(|bytes| bytes == SIGNATURE)
    }

    /// Fetches what the metadata in memory say will be read after `reads`, which are of one call.
    fn foretell(&self, reads: impl IntoIterator<Item = (Kind, ByteRange)>, supply: Supply) -> Foretold {
        // A caller that does not say what it reads is no libhdf5.
        let mut reads = reads.into_iter().filter(|(kind, _)| *kind != Kind::Default).peekable();
        let (Some(hints), Some(_)) = (&self.hints, reads.peek()) else { return Foretold::Nothing };
        let store = self.reader.store();
        let (wishes, foretold) = {
            let mut hints = hints.lock().unwrap_or_else(PoisonError::into_inner);
            for block in store.take_landed() {
                hints.landed(store.geometry().bytes(&(block..block + 1)));
            }
            let (mut wishes, foretold) = note(&mut hints, reads, supply, store);
            for _ in 0..MOST_TURNS {
                let room = MOST_WISHES.saturating_sub(wishes.len());
                wishes.extend(hints.advance(store, room));
                if !hints.has_more() {
                    break;
                }
            }
            (wishes, foretold)
        };
        // A node of an index between chunks that are streamed over would only break up the large requests.
        let of_index = |wish: &Wish| matches!(wish.why, Why::ChunkIndex | Why::WholeIndex);
        let passing = |wish: &Wish| of_index(wish) && self.reader.will_pass(wish.range);
        let wishes = wishes.into_iter().filter(|wish| !passing(wish));
        let (idle, soon): (Vec<Wish>, Vec<Wish>) = wishes.partition(|wish| wish.why == Why::WholeIndex);
        for (wishes, urgency) in [(soon, Urgency::Guess), (idle, Urgency::Idle)] {
            let ranges: Vec<ByteRange> = wishes.iter().map(|wish| self.range_of(wish)).collect();
            if !ranges.is_empty()
                && let Some(range) = self.reader.guess(&ranges, urgency)
            {
                hints.lock().unwrap_or_else(PoisonError::into_inner).left_out(range);
            }
        }
        foretold
    }

    /// What to fetch for a wish: chunks and nodes of their indexes exactly, other metadata with their surroundings.
    fn range_of(&self, wish: &Wish) -> ByteRange {
        match wish.why {
            Why::Chunk | Why::ChunkIndex | Why::WholeIndex => wish.range,
            Why::Metadata => around(wish.range, self.metadata_unit, self.reader.store().geometry().file_size),
        }
    }
}

/// Metadata with what lies around them: multiples of `unit`, and up to the end of the file where that is near.
fn around(range: ByteRange, unit: u64, file_size: u64) -> ByteRange {
    let end = range.end().div_ceil(unit).saturating_mul(unit);
    let end = if file_size.saturating_sub(end) <= TAIL_BYTES { file_size } else { end };
    ByteRange::new(range.start() / unit * unit, end)
}

/// Whether reads of it say where others will be.
fn is_data(kind: Kind) -> bool {
    matches!(kind, Kind::Default | Kind::Raw)
}

/// Tells the hints of reads of one call; what they foretell.
fn note(
    hints: &mut Hints,
    reads: impl Iterator<Item = (Kind, ByteRange)>,
    supply: Supply,
    store: &Store,
) -> (Vec<Wish>, Foretold) {
    let (mut wishes, mut foretold) = (Vec::new(), Foretold::Nothing);
    // Where no chunk was found: asking for each of thousands of pieces of one block would take its time.
    let mut without = None;
    for (kind, range) in reads {
        let block = range.start() / store.geometry().block_size;
        if kind == Kind::Raw && without != Some(block) {
            wishes.extend(hints.expect_chunks(range, supply, store));
            foretold = hints.foretold();
            without = (foretold == Foretold::Nothing).then_some(block);
        } else if kind != Kind::Raw {
            hints.note(kind, range, supply);
            foretold = Foretold::Nothing;
        }
    }
    (wishes, foretold)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn metadata_come_in_whole_units_and_near_the_end_of_the_file_up_to_it() {
        let around = |start, end| around(ByteRange::new(start, end), 100_000, 10_000_000);
        assert_eq!(around(1_250_000, 1_250_010), ByteRange::new(1_200_000, 1_300_000));
        assert_eq!(around(1_299_999, 1_300_001), ByteRange::new(1_200_000, 1_400_000));
        assert_eq!(around(9_500_000, 9_600_000), ByteRange::new(9_500_000, 9_600_000));
        assert_eq!(around(9_700_000, 9_700_001), ByteRange::new(9_700_000, 10_000_000));
        assert_eq!(around(9_999_000, 10_000_000), ByteRange::new(9_900_000, 10_000_000));
    }
}
