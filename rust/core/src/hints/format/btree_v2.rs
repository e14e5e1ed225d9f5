//! Version 2 B-trees: III.A.2. Records of links and attributes (types 5, 6, 8, 9) lead into a fractal
//! heap, those of types 10 and 11 are chunks.

use super::Format;
use super::cursor::Cursor;

/// Most levels below the root that make sense; libhdf5 has seldom more than three.
const MOST_DEPTH: u16 = 16;
/// Longest node that is looked at.
const LONGEST_NODE: u32 = 1 << 16;

/// A tree, as its header has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Tree {
    pub(crate) kind: u8,
    pub(crate) node_length: u32,
    pub(crate) record_length: u16,
    pub(crate) root: Node,
}

/// Where a node is, how many records it has, and how many levels are below it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    pub(crate) address: u64,
    pub(crate) records: u16,
    pub(crate) depth: u16,
}

/// What a node has: `children` is empty in a leaf, else one longer than `records`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Content<'a> {
    pub(crate) records: Vec<&'a [u8]>,
    pub(crate) children: Vec<Option<Node>>,
}

pub(crate) fn header_length(format: &Format) -> u64 {
    22 + u64::from(format.offset_size) + u64::from(format.length_size)
}

pub(crate) fn header(bytes: &[u8], format: &Format) -> Option<Tree> {
    let mut at = Cursor::new(bytes);
    at.expect(b"BTHD\0")?;
    let kind = at.u8()?;
    let node_length = at.u32()?;
    let record_length = at.u16()?;
    let depth = at.u16()?;
    // When to split and to merge, in percent.
    at.skip(2)?;
    let address = at.address(format)??;
    let records = at.u16()?;
    let sound = record_length > 0 && depth <= MOST_DEPTH && (11..=LONGEST_NODE).contains(&node_length);
    sound.then_some(Tree { kind, node_length, record_length, root: Node { address, records, depth } })
}

/// Bytes that numbers up to `most` are written in.
fn width(most: u64) -> u32 {
    most.max(1).ilog2() / 8 + 1
}

/// Sizes of the two counts of records beside a child's address: of the child, and of all below it.
fn count_widths(tree: &Tree, depth: u16, format: &Format) -> Option<(u32, u32)> {
    let room = u64::from(tree.node_length).checked_sub(10)?;
    let record = u64::from(tree.record_length);
    let leaf_most = room / record;
    let own = width(leaf_most);
    let (mut below, mut below_width) = (leaf_most, 0);
    for _ in 1..depth {
        let pointer = u64::from(format.offset_size) + u64::from(own + below_width);
        let most = room.checked_sub(pointer)? / (record + pointer);
        below = (most + 1).saturating_mul(below).saturating_add(most);
        below_width = width(below);
    }
    Some((own, below_width))
}

/// Reads a node; of an internal one its children too.
pub(crate) fn node<'a>(bytes: &'a [u8], tree: &Tree, node: &Node, format: &Format) -> Option<Content<'a>> {
    let mut at = Cursor::new(bytes);
    at.expect(if node.depth == 0 { b"BTLF\0" } else { b"BTIN\0" })?;
    at.expect(&[tree.kind])?;
    let mut records = Vec::new();
    for _ in 0..node.records {
        records.push(at.take(tree.record_length.into())?);
    }
    let mut children = Vec::new();
    if let Some(depth) = node.depth.checked_sub(1) {
        let (own, below) = count_widths(tree, node.depth, format)?;
        for _ in 0..=node.records {
            let address = at.address(format)?;
            let records = u16::try_from(at.uint(own as usize)?).ok()?;
            at.skip(below as usize)?;
            children.push(address.map(|address| Node { address, records, depth }));
        }
    }
    Some(Content { records, children })
}
