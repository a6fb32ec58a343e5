//! What acts between two materials, by kind of method: springs and limits of friction as a law has them, so that no pair mixes
//! what no method can run. To add a kind: its variant, and its arm in the functions below.
//!
//! Does not do: say which method a model runs by. A method says which kinds it takes (`explicit::takes`), and
//! `LawTable::first_unfit` finds the pair that it does not.

use crate::law::SpringLaws;

/// The laws of a pair of materials.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PairLaws {
    /// Soft: surfaces overlap and springs push them apart.
    Springs(SpringLaws),
}

impl PairLaws {
    /// The spring laws, if it is these that act.
    #[inline(always)]
    pub fn springs(&self) -> Option<&SpringLaws> {
        match self {
            PairLaws::Springs(laws) => Some(laws),
        }
    }
}

impl From<SpringLaws> for PairLaws {
    fn from(laws: SpringLaws) -> Self {
        PairLaws::Springs(laws)
    }
}
