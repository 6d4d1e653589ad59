//! Macros that declare enums whose values have names in options and reports, and setters of
//! builders.
//!
//! A declarative macro suffices: `strum` would add crates and a procedural macro to the smallest
//! build, and its errors do not list the names.

/// Defines an enum with the name of each value, and with `ALL`, `name` and `Display`.
///
/// `if (...)` is the `cfg` condition of a value. With the struct of an error, the enum also
/// implements `FromStr`, which accepts aliases; they follow a name after `|`. `{names}` in the text
/// of the error is the list of names.
#[doc(hidden)]
#[macro_export]
macro_rules! named_enum {
    (
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident {
            $(
                $(#[$attribute:meta])*
                $Value:ident = $name:literal $(if ($cfg:meta))?,
            )+
        }
    ) => {
        $(#[$meta])*
        $vis enum $Enum {
            $(
                $(#[cfg($cfg)])?
                $(#[$attribute])*
                $Value,
            )+
        }

        impl $Enum {
            #[doc = concat!("Every [`", stringify!($Enum), "`] of this build, in its order.")]
            pub const ALL: &'static [Self] = &[$($(#[cfg($cfg)])? Self::$Value,)+];

            #[doc = concat!($("`", $name, "`, ",)+ "as options and reports spell it.")]
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $($(#[cfg($cfg)])? Self::$Value => $name,)+
                }
            }
        }

        $crate::named_enum!(@display $Enum);
    };
    (
        $(#[$meta:meta])*
        $vis:vis enum $Enum:ident {
            $(
                $(#[$attribute:meta])*
                $Value:ident = $name:literal $(| $alias:literal)* $(if ($cfg:meta))?,
            )+
        }

        $(#[$error_meta:meta])*
        $error_vis:vis struct $Error:ident = $message:literal;
    ) => {
        $crate::named_enum! {
            $(#[$meta])*
            $vis enum $Enum {
                $(
                    $(#[$attribute])*
                    $Value = $name $(if ($cfg))?,
                )+
            }
        }

        $crate::named_enum!(@error $(#[$error_meta])* $error_vis $Error, $message, $Enum);

        impl std::str::FromStr for $Enum {
            type Err = $Error;

            fn from_str(name: &str) -> Result<Self, $Error> {
                match name {
                    $($(#[cfg($cfg)])? $name $(| $alias)* => Ok(Self::$Value),)+
                    _ => Err($Error),
                }
            }
        }
    };
    (@display $Enum:ident) => {
        impl std::fmt::Display for $Enum {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.pad(self.name())
            }
        }
    };
    (
        @error $(#[$meta:meta])*
        $vis:vis $Error:ident, $message:literal, $Enum:ident
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        #[non_exhaustive]
        $vis struct $Error;

        impl std::fmt::Display for $Error {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                let names: Vec<&str> = $Enum::ALL.iter().map(|value| value.name()).collect();
                f.write_str(&$message.replace("{names}", &names.join(", ")))
            }
        }

        impl std::error::Error for $Error {}
    };
}

/// Defines methods of a builder that each set a field:
/// `pub fn name(value: Type) => field = value;`.
#[doc(hidden)]
#[macro_export]
macro_rules! setters {
    ($(
        $(#[$meta:meta])*
        $vis:vis fn $name:ident($($value:ident: $Type:ty),+) => $($field:ident).+ = $new:expr;
    )+) => {$(
        $(#[$meta])*
        #[must_use]
        $vis fn $name(mut self, $($value: $Type),+) -> Self {
            self.$($field).+ = $new;
            self
        }
    )+};
}

pub(crate) use {named_enum, setters};
