//! Items for the other packages of this workspace, which may change in any version.

pub use crate::base::{BaseLayer, Learned, WrittenBase, own_base};
pub use crate::block::all;
pub use crate::edit::Patches;
pub use crate::error::{amount, typed};
pub use crate::learn::{HintSource, usable};
pub use crate::link::{Renewal, Renewals, SavedFiles, Settings, is_template};
pub use crate::splice::Charset;
