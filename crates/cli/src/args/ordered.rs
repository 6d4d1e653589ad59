//! Options whose occurrences count in the order in which they are typed.

use clap::ArgMatches;

/// The values of several options, in the order of the command line.
pub(super) fn in_order<T>(matches: &ArgMatches, options: &[&str]) -> Vec<T>
where
    T: Clone + Send + Sync + 'static,
{
    let mut values = Vec::new();
    for option in options {
        let positions = matches.indices_of(option).into_iter().flatten();
        values.extend(positions.zip(matches.get_many::<T>(option).into_iter().flatten()));
    }
    values.sort_by_key(|(position, _)| *position);
    values.into_iter().map(|(_, value)| value.clone()).collect()
}

/// Implements the traits of options that a function adds to a command and another reads.
macro_rules! options {
    ($type:ty $(where { $($bound:tt)+ })?, $add:expr, $read:expr) => {
        impl$(<$($bound)+>)? clap::Args for $type {
            fn augment_args(command: clap::Command) -> clap::Command {
                $add(command)
            }

            fn augment_args_for_update(command: clap::Command) -> clap::Command {
                $add(command)
            }
        }

        impl$(<$($bound)+>)? clap::FromArgMatches for $type {
            fn from_arg_matches(matches: &clap::ArgMatches) -> Result<Self, clap::Error> {
                Ok($read(matches))
            }

            fn update_from_arg_matches(
                &mut self,
                matches: &clap::ArgMatches,
            ) -> Result<(), clap::Error> {
                *self = $read(matches);
                Ok(())
            }
        }
    };
}

pub(super) use options;
