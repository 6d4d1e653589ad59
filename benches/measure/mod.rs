//! Shared code of the benchmarks: rounds in which every contender runs once, so that a busy machine
//! slows all of them alike.

use std::time::Duration;

/// The work of one round: the time that it took, and a digest of what came out.
pub(crate) type Round = (Duration, u64);

/// Runs every contender once a round and returns the median time of each.
///
/// The first round warms up and is not counted. Digests must not differ between
/// rounds.
pub(crate) fn medians(
    rounds: usize,
    contenders: &mut [Box<dyn FnMut() -> Round + '_>],
) -> Vec<Duration> {
    let digests: Vec<u64> = contenders.iter_mut().map(|run| run().1).collect();
    let mut times = vec![Vec::with_capacity(rounds); contenders.len()];
    for round in 0..rounds {
        for (index, run) in contenders.iter_mut().enumerate() {
            let (time, digest) = run();
            assert_eq!(digest, digests[index], "contender {index} differs in round {round}");
            times[index].push(time);
        }
    }
    times.into_iter().map(median).collect()
}

fn median(mut times: Vec<Duration>) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

/// Rounds to run: the many of `cargo bench`, or one where the program
/// is only to show that it works.
pub(crate) fn rounds(many: usize) -> usize {
    if std::env::args().any(|arg| arg == "--bench") { many } else { 1 }
}
