//! Waiting for one's turn to write to the catalogue.
use fincore::Error;

/// Tries until no other import, in whatever process, is in the way; says once that it waits.
pub(crate) fn wait<T>(mut attempt: impl FnMut() -> fincore::Result<T>) -> fincore::Result<T> {
    let mut said = false;
    loop {
        // Each attempt waits for a second or more by itself.
        match attempt() {
            Err(Error::Busy(_)) if said => (),
            Err(Error::Busy(_)) => {
                tracing::info!("another import is running; waiting for it to end");
                said = true;
            }
            outcome => return outcome,
        }
    }
}
