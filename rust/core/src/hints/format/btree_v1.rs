//! Version 1 B-trees of groups and of chunks: III.A.1.

use super::Format;
use super::cursor::Cursor;

/// A node of a group's B-tree: its children are symbol table nodes at level 0, nodes else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct GroupNode {
    pub(crate) level: u8,
    pub(crate) children: Vec<u64>,
}

/// A node of a chunk B-tree: its children are chunks at level 0, nodes else.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkNode {
    pub(crate) level: u8,
    pub(crate) children: Vec<ChunkChild>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChunkChild {
    /// Bytes as stored of the chunk, or of the first one below.
    pub(crate) stored_length: u32,
    /// The element at the chunk's corner.
    pub(crate) offsets: Vec<u64>,
    pub(crate) address: Option<u64>,
}

fn node_length(format: &Format, k: u16, key: u64) -> u64 {
    let (children, offset_size) = (2 * u64::from(k), u64::from(format.offset_size));
    8 + 2 * offset_size + children * offset_size + (children + 1) * key
}

/// Bytes of a node of a group's B-tree with room for all its children.
pub(crate) fn group_node_length(format: &Format) -> u64 {
    node_length(format, format.group_internal_k, format.length_size.into())
}

/// The same for the chunks of a dataset with `rank` dimensions.
pub(crate) fn chunk_node_length(format: &Format, rank: usize) -> u64 {
    node_length(format, format.chunk_k, 8 + 8 * (rank as u64 + 1))
}

/// Level and number of children, with the cursor on the first key.
fn head(at: &mut Cursor<'_>, kind: u8, format: &Format) -> Option<(u8, u16)> {
    at.expect(b"TREE")?;
    at.expect(&[kind])?;
    let head = (at.u8()?, at.u16()?);
    // Siblings.
    at.skip(2 * usize::from(format.offset_size))?;
    Some(head)
}

pub(crate) fn group_node(bytes: &[u8], format: &Format) -> Option<GroupNode> {
    let mut at = Cursor::new(bytes);
    let (level, count) = head(&mut at, 0, format)?;
    let mut child = || {
        at.skip(format.length_size.into())?;
        at.address(format)
    };
    let children = (0..count).map_while(|_| child()).flatten().collect();
    Some(GroupNode { level, children })
}

/// Reads the node of a dataset with `rank` dimensions.
pub(crate) fn chunk_node(bytes: &[u8], rank: usize, format: &Format) -> Option<ChunkNode> {
    let mut at = Cursor::new(bytes);
    let (level, count) = head(&mut at, 1, format)?;
    let mut child = || {
        let stored_length = at.u32()?;
        // Filter mask.
        at.skip(4)?;
        let offsets = (0..rank).map(|_| at.u64()).collect::<Option<Vec<u64>>>()?;
        // The offset within an element, always 0.
        at.skip(8)?;
        Some(ChunkChild { stored_length, offsets, address: at.address(format)? })
    };
    let children = (0..count).map_while(|_| child()).collect();
    Some(ChunkNode { level, children })
}
