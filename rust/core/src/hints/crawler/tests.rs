use super::super::format::message::Message;
use super::super::format::object_header::Version;
use super::super::tests::support::{Whole, all_wishes, file};
use super::super::{Hints, Why};
use super::*;

/// A crawler with nothing to do, over a file of 1 MiB.
fn crawler() -> Crawler {
    let format = super::super::format::tests::format(1 << 20);
    let root = symbol_node::Entry { header: None, symbol_table: None };
    Crawler::new(&Superblock { format, root, extension: None })
}

fn nothing() -> Whole {
    Whole(Vec::new())
}

fn ranges(wishes: &[Wish]) -> Vec<ByteRange> {
    wishes.iter().map(|wish| wish.range).collect()
}

#[test]
fn every_address_is_wished_for_once_in_order_of_distance() {
    let mut crawler = crawler();
    crawler.header(5000, false, 3);
    crawler.header(7000, false, 1);
    crawler.header(6000, false, 1);
    crawler.header(5000, false, 2);
    let wishes = crawler.advance(&nothing(), 2);
    assert_eq!(ranges(&wishes), [ByteRange::new(7000, 7512), ByteRange::new(6000, 6512)]);
    crawler.header(7000, false, 0);
    assert_eq!(ranges(&crawler.advance(&nothing(), 9)), [ByteRange::new(5000, 5512)]);
    crawler.landed(ByteRange::new(0, 1 << 20));
    assert_eq!(crawler.advance(&nothing(), 9), [], "they wait again, but are not wished for again");
}

#[test]
fn a_header_that_libhdf5_reads_is_followed_though_nothing_leads_there() {
    let bytes = file("old_groups.h5").unwrap();
    let size = bytes.len() as u64;
    let mut whole = Hints::new(size);
    all_wishes(&mut whole, &Whole(bytes.clone()));
    let header = *whole.crawler.as_ref().unwrap().headers.last().unwrap();
    let format = super::super::format::tests::format(size);
    let root = symbol_node::Entry { header: None, symbol_table: None };
    let mut crawler = Crawler::new(&Superblock { format, root, extension: None });
    let memory = Whole(bytes);
    // A continuation is read with its exact length, and may look like a header of version 1.
    crawler.touched(ByteRange::new(header, header + 40), true);
    crawler.advance(&memory, 100);
    assert!(crawler.headers.is_empty());
    crawler.touched(format.range(header, object_header::FIRST_LENGTH).unwrap(), true);
    crawler.advance(&memory, 100);
    assert!(crawler.headers.contains(&header));
}

#[test]
fn attributes_of_variable_length_lead_to_their_heap_collection() {
    let bytes = file("dense_groups.h5").unwrap();
    let mut hints = Hints::new(bytes.len() as u64);
    // Heap collections are not here.
    struct NoHeaps(Vec<u8>);
    impl Memory for NoHeaps {
        fn get(&self, range: ByteRange) -> Option<Vec<u8>> {
            let bytes = self.0.get(range.start() as usize..range.end() as usize)?;
            (!bytes.starts_with(b"GCOL")).then(|| bytes.to_vec())
        }
    }
    let collections: Vec<u64> =
        (0..bytes.len()).filter(|&at| bytes[at..].starts_with(b"GCOL\x01")).map(|at| at as u64).collect();
    let wishes = all_wishes(&mut hints, &NoHeaps(bytes));
    assert!(wishes.iter().all(|wish| wish.why == Why::Metadata && wish.range.length() == 4096));
    let mut starts: Vec<u64> = wishes.iter().map(|wish| wish.range.start()).collect();
    starts.sort_unstable();
    assert!(!collections.is_empty());
    assert_eq!(starts, collections);
}

#[test]
fn messages_that_a_continuation_brings_complete_a_dataset() {
    let space = Dataspace { dims: vec![10], max_dims: vec![Some(10)] };
    let layout = Layout::Chunked(super::super::format::layout::Chunked {
        chunk_dims: vec![5],
        element_size: 4,
        index: super::super::format::layout::Index::BtreeV1(9000),
    });
    let mut crawler = crawler();
    let continuation = Message::Continuation(ByteRange::new(3000, 3100));
    let first = vec![Message::Dataspace(space), continuation];
    crawler.messages(first, 1000, Version::One, false, 0);
    assert!(crawler.take_datasets().is_empty());
    crawler.messages(vec![Message::Layout(layout)], 1000, Version::One, false, 0);
    assert_eq!(crawler.take_datasets().len(), 1);
    // Its index root is worth having, the chunks are not.
    let wishes = crawler.advance(&nothing(), 9);
    let why: Vec<Why> = wishes.iter().map(|wish| wish.why).collect();
    assert_eq!(why, [Why::Metadata, Why::ChunkIndex]);
}
