/// Fills `buf` with the bytes that `/bytes/<size>?seed=<seed>` has at `offset`.
///
/// The byte at offset `o` is byte `o % 8` (the lowest first) of the word
/// `splitmix64(seed + o / 8)`, additions wrapping around. In C++:
///
/// ```cpp
/// std::uint8_t byte(std::uint64_t seed, std::uint64_t o) {
///     std::uint64_t z = seed + o / 8 + 0x9E3779B97F4A7C15u;
///     z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9u;
///     z = (z ^ (z >> 27)) * 0x94D049BB133111EBu;
///     z = z ^ (z >> 31);
///     return static_cast<std::uint8_t>(z >> (8 * (o % 8)));
/// }
/// ```
pub fn generated(seed: u64, offset: u64, buf: &mut [u8]) {
    let mut word = seed.wrapping_add(offset / 8);
    let mut rest = buf;

    let skip = (offset % 8) as usize;
    if skip != 0 {
        let (head, tail) = rest.split_at_mut(rest.len().min(8 - skip));
        let bytes = splitmix64(word).to_le_bytes();
        head.copy_from_slice(&bytes[skip..skip + head.len()]);
        word = word.wrapping_add(1);
        rest = tail;
    }

    let mut words = rest.chunks_exact_mut(8);
    for chunk in &mut words {
        chunk.copy_from_slice(&splitmix64(word).to_le_bytes());
        word = word.wrapping_add(1);
    }

    let tail = words.into_remainder();
    let bytes = splitmix64(word).to_le_bytes();
    tail.copy_from_slice(&bytes[..tail.len()]);
}

/// Sebastiano Vigna's SplitMix64: the output after the state `x`.
pub(crate) fn splitmix64(x: u64) -> u64 {
    let mut z = x.wrapping_add(0x9E37_79B9_7F4A_7C15);
    z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ (z >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_piece_agrees_with_the_definition() {
        let seed = u64::MAX - 2; // so that the words wrap around
        let byte = |o: u64| (splitmix64(seed.wrapping_add(o / 8)) >> (8 * (o % 8))) as u8;
        for offset in 0..20 {
            for len in 0..40 {
                let mut buf = vec![0; len];
                generated(seed, offset, &mut buf);
                let expected: Vec<u8> = (offset..offset + len as u64).map(byte).collect();
                assert_eq!(buf, expected, "offset {offset}, length {len}");
            }
        }
    }

    #[test]
    fn the_first_word_is_the_published_one() {
        // The first output of the reference implementation with seed 0.
        assert_eq!(splitmix64(0), 0xE220_A839_7B1D_CDAF);
    }
}
