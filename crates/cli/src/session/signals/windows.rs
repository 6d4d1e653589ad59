//! Events of the console of Windows, by tokio, without its runtime.

use std::io;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::task::{Context, Poll, Wake, Waker};
use std::thread::{self, Thread};

use tokio::signal::windows::{ctrl_break, ctrl_c, ctrl_close};

use super::second::SecondSignal;

/// SIGINT, SIGBREAK and SIGHUP: the numbers of Ctrl-C, of Ctrl-Break, and of a console that is closed.
const NUMBERS: [usize; 3] = [2, 21, 1];

/// Wakes the thread that waits for events.
struct Unpark(Thread);

impl Wake for Unpark {
    fn wake(self: Arc<Self>) {
        self.0.unpark();
    }
}

/// Stores the number of each event that ends a run; where that is impossible, it ends the process as ever.
pub(super) fn watch(second: SecondSignal, received: &Arc<AtomicUsize>) {
    let _ = wait_for_events(second, received.clone());
}

fn wait_for_events(second: SecondSignal, received: Arc<AtomicUsize>) -> io::Result<()> {
    let (mut interrupt, mut stop, mut close) = (ctrl_c()?, ctrl_break()?, ctrl_close()?);
    let wait = move || {
        let waker = Waker::from(Arc::new(Unpark(thread::current())));
        let mut context = Context::from_waker(&waker);
        loop {
            let events = [
                interrupt.poll_recv(&mut context),
                stop.poll_recv(&mut context),
                close.poll_recv(&mut context),
            ];
            match events.iter().position(Poll::is_ready) {
                Some(event) => received.store(NUMBERS[event], Ordering::Relaxed),
                None => thread::park(),
            }
            // Without listeners, the next event ends the process.
            if second == SecondSignal::Ends && received.load(Ordering::Relaxed) > 0 {
                return;
            }
        }
    };
    thread::Builder::new().spawn(wait).map(drop)
}
