//! The progress bar.

use std::fmt::Write;
#[cfg(unix)]
use std::fs::File;
use std::io::{self, IsTerminal};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use absolve_files::Monitor;
use indicatif::{HumanBytes, ProgressBar, ProgressState, ProgressStyle};

use super::output::Output;
use super::signals::Signals;

/// When results are printed.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Results {
    /// While the bar is shown.
    Meanwhile,
    /// When the bar is gone.
    Afterwards,
}

/// A bar of files, with bytes and the remaining time; hidden if stderr is not a terminal, or with
/// `--quiet`.
pub struct Progress<'s> {
    bar: ProgressBar,
    bytes: Arc<AtomicU64>,
    unit: Unit,
    signals: &'s Signals,
}

/// What the bar counts.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Unit {
    Files,
    /// Bytes of a large file, which may be read several times.
    Bytes,
}

impl<'s> Progress<'s> {
    /// A bar, unless results are printed meanwhile: what reads them from a pipe may print them on
    /// the same terminal, and the bar would be between their lines.
    pub fn new(files: usize, output: Output, results: Results, signals: &'s Signals) -> Self {
        let bytes = Arc::new(AtomicU64::new(0));
        let is_shared = results == Results::Meanwhile && !is_stdout_a_file();
        let is_seen = io::stderr().is_terminal() && !output.messages.are_quiet();
        let bar = if is_seen && !is_shared {
            ProgressBar::new(files as u64)
        } else {
            ProgressBar::hidden()
        };
        let shown = bytes.clone();
        let style = ProgressStyle::with_template(
            "{wide_bar} {human_pos}/{human_len} files, {bytes_read}, {eta} left\r",
        );
        if let Ok(style) = style {
            bar.set_style(style.with_key(
                "bytes_read",
                move |_: &ProgressState, out: &mut dyn Write| {
                    let _ = write!(out, "{}", HumanBytes(shown.load(Ordering::Relaxed)));
                },
            ));
        }
        Self { bar, bytes, unit: Unit::Files, signals }
    }

    /// A bar of the bytes of one large file, whose size comes with them.
    pub fn new_for_bytes(output: Output, signals: &'s Signals) -> Self {
        Self { bar: byte_bar(0, output), ..Self::hidden(signals) }
    }

    /// No bar: the run is short, or prints on the terminal meanwhile.
    pub fn hidden(signals: &'s Signals) -> Self {
        let bar = ProgressBar::hidden();
        Self { bar, bytes: Arc::default(), unit: Unit::Bytes, signals }
    }

    /// Prints something above the bar.
    pub fn aside(&self, print: impl FnOnce()) {
        self.bar.suspend(print);
    }

    /// Removes the bar.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// Whether stdout is a regular file, and so not on the terminal of the bar.
fn is_stdout_a_file() -> bool {
    #[cfg(unix)]
    {
        use std::os::fd::AsFd;
        let stdout = io::stdout().as_fd().try_clone_to_owned();
        stdout.and_then(|stdout| File::from(stdout).metadata()).is_ok_and(|stdout| stdout.is_file())
    }
    #[cfg(not(unix))]
    {
        !io::stdout().is_terminal()
    }
}

/// A bar of the bytes of one large file, as [`Progress`] is one of files.
pub fn byte_bar(size: u64, output: Output) -> ProgressBar {
    if !io::stderr().is_terminal() || output.messages.are_quiet() {
        return ProgressBar::hidden();
    }
    let style = ProgressStyle::with_template("{wide_bar} {bytes} of {total_bytes}, {eta} left\r");
    let bar = ProgressBar::new(size);
    style.map(|style| bar.clone().with_style(style)).unwrap_or(bar)
}

impl Monitor for Progress<'_> {
    fn is_stopped(&self) -> bool {
        self.signals.is_stopped()
    }

    fn read(&self, bytes: u64) {
        if self.unit == Unit::Files {
            self.bytes.fetch_add(bytes, Ordering::Relaxed);
            self.bar.inc(1);
        }
    }

    fn read_to(&self, byte: u64, size: u64) {
        if self.unit == Unit::Bytes {
            if byte < self.bar.position() {
                // The time that is left is that of this pass.
                self.bar.reset_eta();
            }
            self.bar.set_length(size);
            self.bar.set_position(byte);
        }
    }
}
