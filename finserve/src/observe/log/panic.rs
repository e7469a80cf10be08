//! Panics: logged once, with their location. A panic in a request is logged with that request.
use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

/// How many panics there were.
static PANICS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether a caller on this thread catches panics, and logs them itself.
    static IS_CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// The message of the last panic that was caught.
    static MESSAGE: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How many panics there were since the start.
pub(crate) fn count() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// Does the work. If it panics, returns the message and location of the panic; it is not logged here, because the caller
/// knows what it means.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = IS_CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    IS_CAUGHT.set(before);
    done.map_err(|_| MESSAGE.take())
}

/// Logs panics from now on; the message of one that is caught is kept for the caller of [`catch`].
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        let message = describe(info);
        if IS_CAUGHT.get() {
            MESSAGE.set(message);
        } else {
            tracing::error!("{message}");
        }
    }));
}

fn describe(info: &PanicHookInfo<'_>) -> String {
    let location = info.location().map_or_else(String::new, |location| format!(" at {location}"));
    format!("panicked{location}: {}", message(info.payload()))
}

/// The message of a panic.
fn message(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message")
}
