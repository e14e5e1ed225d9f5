use std::collections::{BTreeMap, BTreeSet};

use super::super::index::Outcome;
use super::super::*;
use super::support::{Whole, all_wishes, file, fixtures};

/// What h5py says of a file: object headers, and of chunked datasets the number of chunks and their hash.
#[derive(Debug, Default)]
struct Truth {
    headers: BTreeSet<u64>,
    datasets: BTreeMap<u64, (usize, String)>,
}

fn truths() -> BTreeMap<String, Truth> {
    let text = std::fs::read_to_string(fixtures().join("truth.txt")).unwrap();
    let mut truths: BTreeMap<String, Truth> = BTreeMap::new();
    for line in text.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let number = |word: &str| word.parse::<u64>().unwrap();
        let truth = truths.entry(words[1].to_owned()).or_default();
        match words[0] {
            "o" => truth.headers.extend(words[2..].iter().map(|word| number(word))),
            "d" => {
                truth.datasets.insert(number(words[2]), (number(words[3]) as usize, words[4].to_owned()));
            }
            _ => (),
        }
    }
    truths
}

/// Number of chunks, and the hash over them as truth.txt has it.
fn chunks_of(hints: &mut Hints, id: usize, memory: &Whole) -> (usize, String) {
    let format = *hints.crawler.as_ref().unwrap().format();
    let grid = hints.chunks.dataset(id).unwrap().grid.clone();
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut count = 0;
    for number in 0..grid.total().min(1 << 18) {
        match hints.chunks.find(id, number, memory, &format) {
            Outcome::Chunk(chunk) => {
                assert_eq!(chunk.number, number);
                count += 1;
                for value in [grid.corner(number), vec![chunk.start, chunk.length]].concat() {
                    for byte in value.to_le_bytes() {
                        hash = (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3);
                    }
                }
            }
            Outcome::Nothing => (),
            missing @ Outcome::Missing { .. } => panic!("{missing:?}"),
        }
    }
    (count, format!("{hash:016x}"))
}

#[test]
fn every_object_and_every_chunk_of_real_files_is_found() {
    let (mut files, mut headers, mut datasets, mut chunks) = (0, 0, 0, 0);
    let mut wrong = Vec::new();
    for (name, truth) in truths() {
        let Some(bytes) = file(&name) else { continue };
        files += 1;
        let mut hints = Hints::new(bytes.len() as u64);
        let memory = Whole(bytes);
        let wishes = all_wishes(&mut hints, &memory);
        assert_eq!(wishes, [], "{name}: all is in memory");
        let found = hints.crawler.as_ref().map(|crawler| crawler.headers.clone()).unwrap_or_default();
        let missing: Vec<_> = truth.headers.difference(&found).collect();
        if !missing.is_empty() {
            wrong.push(format!("{name}: headers at {missing:?} of {}", truth.headers.len()));
        }
        // At most the superblock's extension is there besides.
        let more: Vec<_> = found.difference(&truth.headers).collect();
        if more.len() > 1 && !truth.headers.is_empty() {
            wrong.push(format!("{name}: no headers at {more:?}"));
        }
        let known: Vec<u64> = hints.chunks.datasets().iter().map(|dataset| dataset.header).collect();
        for (header, expected) in &truth.datasets {
            let found = known.iter().position(|known| known == header);
            let found = found.map(|id| chunks_of(&mut hints, id, &memory));
            let found =
                found.map(|(count, hash)| (count, if expected.1 == "-" { "-".to_owned() } else { hash }));
            if found.as_ref() != Some(expected) && !(found.is_none() && expected.0 == 0) {
                wrong.push(format!("{name}: dataset at {header} is {found:?}, not {expected:?}"));
            }
            chunks += expected.0;
        }
        headers += truth.headers.len();
        datasets += truth.datasets.len();
    }
    assert_eq!(wrong, Vec::<String>::new());
    println!("{files} files, {headers} object headers, {datasets} chunked datasets, {chunks} chunks");
    assert!(files > 50 && headers > 900 && chunks > 3000, "{files} {headers} {chunks}");
}

#[test]
fn a_user_block_of_any_size_moves_everything() {
    let bytes = file("btree_v2.h5").unwrap();
    for block in [512, 1 << 20] {
        let mut moved = vec![0; block];
        moved.extend_from_slice(&bytes);
        let memory = Whole(moved);
        let mut hints = Hints::new(memory.0.len() as u64);
        assert_eq!(all_wishes(&mut hints, &memory), []);
        let headers = &hints.crawler.as_ref().unwrap().headers;
        let expected = truths()["btree_v2.h5"].headers.iter().map(|at| at + block as u64).collect();
        assert_eq!(headers, &expected);
        assert_eq!(chunks_of(&mut hints, 0, &memory).0, 540);
    }
}

#[test]
fn an_extensible_array_counts_the_unlimited_dimension_first_wherever_it_is() {
    let memory = Whole(file("extensible_array.h5").unwrap());
    let mut hints = Hints::new(memory.0.len() as u64);
    all_wishes(&mut hints, &memory);
    let id = hints.chunks.datasets().iter().position(|dataset| dataset.grid.rank() == 3).unwrap();
    let format = *hints.crawler.as_ref().unwrap().format();
    // As make.py wrote them: chunks of 2 × 2 × 2, at (r, c, 1) the value 1 + (r + c + 1) % 100.
    for (r, c) in (0..6).flat_map(|r| (0..40).step_by(3).map(move |c| (r, c))) {
        let number = hints.chunks.dataset(id).unwrap().grid.number(&[r / 2, c / 2, 0]).unwrap();
        let Outcome::Chunk(chunk) = hints.chunks.find(id, number, &memory, &format) else {
            panic!("{r} {c}")
        };
        let value = memory.0[(chunk.start + r % 2 * 4 + c % 2 * 2 + 1) as usize];
        assert_eq!(u64::from(value), 1 + (r + c + 1) % 100, "{r} {c}");
    }
}
