//! Decides whether results are colored.

use std::env;
use std::ffi::OsString;
use std::io::{self, IsTerminal};

use absolve_site::report::Color;
use clap::ValueEnum;

/// When to use color.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[value(help = "On a terminal, or everywhere if FORCE_COLOR is set; never if NO_COLOR is set")]
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    /// Returns the color of results on stdout.
    pub fn stdout_color(self) -> Color {
        let is_wanted = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => is_colored(|name| env::var_os(name), io::stdout().is_terminal()),
        };
        if is_wanted { Color::Yes } else { Color::No }
    }
}

/// Whether output is colored without `--color`: by [`NO_COLOR`][no], [`FORCE_COLOR`][force],
/// [`CLICOLOR_FORCE` and `CLICOLOR`][cli], `TERM` and the terminal; the first that applies wins.
///
/// NOTE: `FORCE_COLOR=0` forces nothing, as with the Node tools that introduced it.
///
/// [no]: https://no-color.org
/// [force]: https://force-color.org
/// [cli]: https://bixense.com/clicolors/
fn is_colored(variable: impl Fn(&str) -> Option<OsString>, is_terminal: bool) -> bool {
    let is_set = |name| variable(name).is_some_and(|value| !value.is_empty());
    let equals = |name, value: &str| variable(name).is_some_and(|set| set == value);
    let forces = |name| is_set(name) && !equals(name, "0");
    if is_set("NO_COLOR") {
        return false;
    }
    let is_forced = forces("FORCE_COLOR") || forces("CLICOLOR_FORCE");
    is_forced || is_terminal && !equals("CLICOLOR", "0") && !equals("TERM", "dumb")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn assert_colors(set: &[(&str, &str)], on_terminal: bool, in_pipe: bool) {
        let variable =
            |name: &str| set.iter().find(|(key, _)| *key == name).map(|(_, value)| value.into());
        let both = (is_colored(variable, true), is_colored(variable, false));
        assert_eq!(both, (on_terminal, in_pipe), "{set:?}");
    }

    #[test]
    fn the_environment_decides_on_colors() {
        assert_colors(&[], true, false);
        assert_colors(&[("TERM", "xterm")], true, false);
        assert_colors(&[("TERM", "dumb")], false, false);
        assert_colors(&[("NO_COLOR", "1")], false, false);
        assert_colors(&[("NO_COLOR", "")], true, false);
        assert_colors(&[("FORCE_COLOR", "1")], true, true);
        assert_colors(&[("FORCE_COLOR", "")], true, false);
        assert_colors(&[("FORCE_COLOR", "0")], true, false);
        assert_colors(&[("CLICOLOR_FORCE", "1"), ("TERM", "dumb")], true, true);
        assert_colors(&[("CLICOLOR_FORCE", "0")], true, false);
        assert_colors(&[("CLICOLOR", "0")], false, false);
        assert_colors(&[("CLICOLOR", "1")], true, false);
        assert_colors(&[("CLICOLOR", "0"), ("CLICOLOR_FORCE", "1")], true, true);
        assert_colors(&[("NO_COLOR", "1"), ("FORCE_COLOR", "1")], false, false);
    }
}
