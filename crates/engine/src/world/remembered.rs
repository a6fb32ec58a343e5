//! What contacts remember, carried over to another world by the ids of their bodies.

use std::convert::Infallible;

use super::World;
use crate::contact::Remembered;

impl World {
    /// What its contacts remember: those that touch, by rising keys.
    pub fn remembered(&self) -> Remembered {
        let mut all = Remembered::with_capacity(self.contact_count());
        let _: Result<(), Infallible> = self.visit_contacts(|key, live, numbers| {
            if live {
                all.push(key, live, numbers.iter().copied());
            }
            Ok(())
        });
        all.sorted()
    }
}
