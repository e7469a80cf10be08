//! Waiting for other imports to end before writing to the catalogue.
use fincore::Error;

/// Repeats an attempt until no other import, in this or another process, keeps it from writing; logs once that it waits.
pub(crate) fn wait<T>(mut attempt: impl FnMut() -> fincore::Result<T>) -> fincore::Result<T> {
    let mut logged = false;
    loop {
        // Each attempt waits for a second or more by itself.
        match attempt() {
            Err(Error::Busy(_)) if logged => (),
            Err(Error::Busy(_)) => {
                tracing::info!("another import is running; waiting for it to end");
                logged = true;
            }
            outcome => return outcome,
        }
    }
}
