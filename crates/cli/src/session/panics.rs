//! Panics, which are bugs.

use std::panic;
use std::sync::Mutex;

use crate::terminal::Messages;

static LAST_PANIC: Mutex<String> = Mutex::new(String::new());

/// Records each panic instead of printing it.
///
/// Panics of the HTML parser become errors of their documents; [`explain`] reports any other.
pub fn record() {
    panic::set_hook(Box::new(|panic| {
        if let Ok(mut last) = LAST_PANIC.lock() {
            *last = panic.to_string();
        }
    }));
}

/// Reports the last panic, and returns the exit code.
pub fn explain() -> u8 {
    let panic = LAST_PANIC.lock().map_or(String::new(), |panic| panic.replace('\n', " "));
    Messages::error(format_args!("a bug stopped it, please report it: {panic}"));
    2
}
