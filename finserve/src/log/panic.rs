//! Panics: logged once, with where they happened. One in a request is logged with that request.
use std::{
    any::Any,
    cell::{Cell, RefCell},
    panic::{AssertUnwindSafe, PanicHookInfo, catch_unwind},
    sync::atomic::{AtomicU64, Ordering},
};

/// How many panics there were.
static PANICS: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// Whether somebody on this thread catches a panic, and says what it was.
    static CAUGHT: Cell<bool> = const { Cell::new(false) };
    /// What it was.
    static SAID: RefCell<String> = const { RefCell::new(String::new()) };
}

/// How many panics there were since the start.
pub(crate) fn count() -> u64 {
    PANICS.load(Ordering::Relaxed)
}

/// Does the work. Fails with what a panic said, and where it was; that is not logged, because whoever calls this can say
/// what it means.
pub(crate) fn catch<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    let before = CAUGHT.replace(true);
    let done = catch_unwind(AssertUnwindSafe(work));
    CAUGHT.set(before);
    done.map_err(|_| SAID.take())
}

/// Logs panics from now on; those that are caught are noted for whoever catches them.
pub(super) fn log_panics() {
    std::panic::set_hook(Box::new(|info| {
        PANICS.fetch_add(1, Ordering::Relaxed);
        let words = words(info);
        if CAUGHT.get() {
            SAID.set(words);
        } else {
            tracing::error!("{words}");
        }
    }));
}

fn words(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().map_or_else(String::new, |place| format!(" at {place}"));
    format!("panicked{place}: {}", said(info.payload()))
}

/// What a panic said.
fn said(payload: &(dyn Any + Send)) -> &str {
    let text = payload.downcast_ref::<&str>().copied();
    let text = text.or_else(|| payload.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("without a message")
}
