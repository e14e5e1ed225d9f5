//! The fault matrix: every fault at every kind of request, passing and lasting. Every case is survived with the
//! file's own bytes, or refused with the right code.
//!
//! `cargo test -p remfile --test matrix -- --nocapture` prints the table.

#![allow(clippy::unwrap_used, reason = "tests")]

mod case;
mod fault;
#[path = "../support/mod.rs"]
mod support;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use case::{Case, Outcome, Phase, Span};
use fault::FAULTS;

/// Cases that run at once: they wait most of the time.
const AT_ONCE: usize = 24;
/// No case takes more than a few seconds.
const WATCHDOG: Duration = Duration::from_secs(60);

/// Runs `case` on a thread of its own, which is left behind if it hangs.
fn watched(case: Case) -> Outcome {
    let (done, outcome) = channel();
    std::thread::spawn(move || {
        let result = catch_unwind(AssertUnwindSafe(|| case.run()));
        let _ = done.send(result.unwrap_or(Outcome::Crashed));
    });
    match outcome.recv_timeout(WATCHDOG) {
        Ok(outcome) => outcome,
        Err(RecvTimeoutError::Timeout) => Outcome::Hung,
        Err(RecvTimeoutError::Disconnected) => Outcome::Crashed,
    }
}

fn run_all(cases: &[Case]) -> Vec<Outcome> {
    let next = AtomicUsize::new(0);
    let mut outcomes = std::thread::scope(|scope| {
        let worker = || {
            let mut done = Vec::new();
            while let Some((i, case)) =
                Some(next.fetch_add(1, Ordering::Relaxed)).and_then(|i| Some((i, cases.get(i)?)))
            {
                done.push((i, watched(*case)));
            }
            done
        };
        let threads: Vec<_> = (0..AT_ONCE).map(|_| scope.spawn(worker)).collect();
        threads.into_iter().flat_map(|thread| thread.join().unwrap()).collect::<Vec<_>>()
    });
    outcomes.sort_by_key(|(i, _)| *i);
    outcomes.into_iter().map(|(_, outcome)| outcome).collect()
}

fn word(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Survived => "ok",
        Outcome::Refused(code) => code.name(),
        Outcome::WrongData => "WRONG DATA",
        Outcome::Hung => "HUNG",
        Outcome::Crashed => "CRASHED",
    }
}

/// A row a fault, a column a kind of request; in each cell what came of the passing and the lasting fault.
fn print_table(cases: &[Case], outcomes: &[Outcome]) {
    println!("| fault | probe | single | parallel | prefetch | prefetch, read | read-ahead, read |");
    println!("|---|---|---|---|---|---|---|");
    let row = Phase::ALL.len() * 2;
    for (cases, outcomes) in cases.chunks(row).zip(outcomes.chunks(row)) {
        let options = cases[0].fault.options.split(", ").find(|option| option.starts_with("max_whole"));
        let options = options.map(|option| format!(" ({option})")).unwrap_or_default();
        print!("| `{}`{options} |", cases[0].fault.query);
        for pair in outcomes.chunks(2) {
            match word(pair[0]) == word(pair[1]) {
                true => print!(" {} |", word(pair[0])),
                false => print!(" {}, then {} |", word(pair[0]), word(pair[1])),
            }
        }
        println!();
    }
}

#[test]
fn every_fault_is_survived_with_the_files_bytes_or_refused_with_the_right_code() {
    let spans = [Span::Passing, Span::Lasting];
    let of_phase = |fault, phase| spans.map(|span| Case { fault, phase, span });
    let of_fault = |fault: &_| Phase::ALL.map(|phase| of_phase(*fault, phase));
    let cases: Vec<Case> = FAULTS.iter().flat_map(of_fault).flatten().collect();
    let outcomes = run_all(&cases);
    print_table(&cases, &outcomes);

    let count = |test: &dyn Fn(Outcome, bool) -> bool| {
        cases.iter().zip(&outcomes).filter(|(case, outcome)| test(**outcome, case.allows(**outcome))).count()
    };
    let refused = |outcome| matches!(outcome, Outcome::Refused(_));
    println!(
        "\ncases tried {}, survived {}, refused with the right code {}, otherwise {}, wrong data {}, hangs {}, crashes {}",
        cases.len(),
        count(&|outcome, _| outcome == Outcome::Survived),
        count(&|outcome, right| refused(outcome) && right),
        count(&|outcome, right| refused(outcome) && !right),
        count(&|outcome, _| outcome == Outcome::WrongData),
        count(&|outcome, _| outcome == Outcome::Hung),
        count(&|outcome, _| outcome == Outcome::Crashed),
    );
    let mut failures = Vec::new();
    for (case, outcome) in cases.iter().zip(&outcomes) {
        if !case.allows(*outcome) {
            let Case { fault, phase, span } = case;
            failures.push(format!(
                "{} {phase:?} {span:?}: {outcome:?}, not {:?}",
                fault.query,
                case.expected()
            ));
        }
    }
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}
