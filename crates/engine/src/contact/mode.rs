//! Stick or slip of one motion of a contact.

/// Whether a motion of a contact sticks or slips.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// No law resists it.
    None,
    /// Sticks.
    Stick,
    /// Slips.
    Slip,
}

impl Mode {
    /// As in the contacts record: `-`, `s` or `k`.
    pub fn letter(self) -> char {
        match self {
            Mode::None => '-',
            Mode::Stick => 's',
            Mode::Slip => 'k',
        }
    }

    /// Of a motion that is resisted or not, and slips or not.
    pub fn of(resisted: bool, slips: bool) -> Self {
        match (resisted, slips) {
            (false, _) => Mode::None,
            (true, false) => Mode::Stick,
            (true, true) => Mode::Slip,
        }
    }
}
