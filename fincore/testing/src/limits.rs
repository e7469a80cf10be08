//! Tests for every limiter, in memory or shared. A limiter may have a clock that a test cannot set, so the
//! suite waits through the functions that it is given; with a window of seconds it takes seconds.
use std::{
    net::IpAddr,
    pin::pin,
    sync::Arc,
    task::{Context, Poll, Wake, Waker},
    thread::{self, Thread},
    time::{Duration, Instant},
};

use fincore::{
    Caller, KeyId, Plan,
    limits::{Limiter, Standing},
};

/// A limiter under trial.
pub struct Trial<'t, L> {
    /// The limiter, whose callers have sent nothing yet.
    pub limits: &'t L,
    /// Its window: two seconds at least, if time is real.
    pub window: Duration,
    /// The time that requests arrive at.
    pub now: &'t (dyn Fn() -> Instant + Sync),
    /// Waits for this time.
    pub wait: &'t (dyn Fn(Duration) + Sync),
    /// The first of some twenty key numbers that no other test uses.
    pub first_key: u32,
}

/// Tests a limiter. Panics if it breaks the contract of [`Limiter`].
pub fn check<L: Limiter + Sync>(trial: &Trial<'_, L>) {
    trial.passes_exactly_the_limit();
    trial.crowds_pass_exactly_the_limit();
    trial.peeking_takes_nothing();
    trial.slides();
    trial.refused_requests_do_not_count();
    trial.a_change_of_plan_holds_at_once();
    trial.addresses_are_callers();
}

impl<L: Limiter + Sync> Trial<'_, L> {
    fn key(&self, number: u32, plan: Plan) -> Caller {
        Caller::with_key(KeyId::new(self.first_key + number), plan)
    }

    fn admit(&self, caller: &Caller) -> Result<Standing, Standing> {
        block_on(self.limits.admit(caller, (self.now)()))
    }

    fn peek(&self, caller: &Caller) -> Standing {
        block_on(self.limits.peek(caller, (self.now)()))
    }

    /// Sends `sent` requests; returns how many are admitted.
    fn count_admitted(&self, caller: &Caller, sent: u32) -> usize {
        (0..sent).filter(|_| self.admit(caller).is_ok()).count()
    }

    fn passes_exactly_the_limit(&self) {
        for (number, plan) in (0..).zip(Plan::ALL) {
            // A large limit takes longer to use up than a short window lasts.
            if plan.limit() > 100 {
                continue;
            }
            let caller = self.key(number, plan);
            for sent in 1..=plan.limit() {
                let standing = self.admit(&caller).expect("a request within the limit is admitted");
                assert_eq!(
                    (standing.limit, standing.remaining),
                    (plan.limit(), plan.limit() - sent)
                );
                self.lasts_a_window(standing.free_after, Duration::ZERO);
                assert_eq!(standing.retry_after == 0, sent < plan.limit(), "{standing:?}");
            }
            let refused = self.admit(&caller).expect_err("one more is refused");
            assert_eq!((refused.limit, refused.remaining), (plan.limit(), 0));
            self.is_within_a_window(refused.retry_after);
        }
    }

    /// Many threads send requests at the same time: each number of remaining requests is returned once.
    fn crowds_pass_exactly_the_limit(&self) {
        let caller = self.key(8, Plan::Bronze);
        let limit = caller.plan.limit();
        let mut remaining: Vec<u32> = thread::scope(|scope| {
            let ask = || {
                let each = (0..limit / 4).filter_map(|_| Some(self.admit(&caller).ok()?.remaining));
                each.collect::<Vec<_>>()
            };
            let threads: Vec<_> = (0..8).map(|_| scope.spawn(ask)).collect();
            threads.into_iter().flat_map(|thread| thread.join().expect("no panic")).collect()
        });
        remaining.sort_unstable();
        assert_eq!(remaining, (0..limit).collect::<Vec<_>>());
    }

    fn peeking_takes_nothing(&self) {
        let caller = self.key(9, Plan::Free);
        let standing = self.peek(&caller);
        assert_eq!((standing.limit, standing.remaining, standing.retry_after), (30, 30, 0));
        assert_eq!(standing.free_after, Duration::ZERO);
        assert_eq!(self.count_admitted(&caller, 10), 10);
        for _ in 0..40 {
            assert_eq!(self.peek(&caller).remaining, 20);
        }
        self.lasts_a_window(self.peek(&caller).free_after, Duration::ZERO);
        assert_eq!(self.count_admitted(&caller, 30), 20);
        let standing = self.peek(&caller);
        assert_eq!(standing.remaining, 0);
        self.is_within_a_window(standing.retry_after);
    }

    /// Requests of the first half of a window count until they are a window old, and no longer.
    fn slides(&self) {
        let caller = self.key(10, Plan::Free);
        assert_eq!(self.count_admitted(&caller, 10), 10);
        (self.wait)(self.window / 2);
        assert_eq!(self.count_admitted(&caller, 30), 20);
        self.lasts_a_window(self.peek(&caller).free_after, Duration::ZERO);
        (self.wait)(self.window / 4);
        assert_eq!(self.count_admitted(&caller, 1), 0);
        self.lasts_a_window(self.peek(&caller).free_after, self.window / 4);
        (self.wait)(self.window * 3 / 10);
        assert_eq!(self.peek(&caller).remaining, 10);
        assert_eq!(self.count_admitted(&caller, 30), 10);
        (self.wait)(self.window * 11 / 10);
        let standing = self.peek(&caller);
        assert_eq!((standing.remaining, standing.free_after), (30, Duration::ZERO));
        assert_eq!(self.count_admitted(&caller, 40), 30);
    }

    /// A caller that keeps sending waits no longer than one that does not.
    fn refused_requests_do_not_count(&self) {
        let caller = self.key(11, Plan::Free);
        assert_eq!(self.count_admitted(&caller, 60), 30);
        for _ in 0..4 {
            (self.wait)(self.window / 5);
            assert_eq!(self.count_admitted(&caller, 10), 0);
        }
        (self.wait)(self.window * 3 / 10);
        assert_eq!(self.count_admitted(&caller, 40), 30);
    }

    fn a_change_of_plan_holds_at_once(&self) {
        let (free, bronze) = (self.key(12, Plan::Free), self.key(12, Plan::Bronze));
        assert_eq!(self.count_admitted(&free, 40), 30);
        assert_eq!(self.peek(&bronze).remaining, 70);
        assert_eq!(self.count_admitted(&bronze, 20), 20);
        let refused = self.admit(&free).expect_err("50 are more than the limit of Free");
        assert_eq!(refused.remaining, 0);
        self.is_within_a_window(refused.retry_after);
        assert_eq!(self.peek(&bronze).remaining, 50);
    }

    fn addresses_are_callers(&self) {
        // Networks for documents, in which each trial has hosts of its own.
        let [.., high, low] = self.first_key.to_be_bytes();
        let at = |text: String| Caller::at(text.parse::<IpAddr>().expect("an address"));
        let (here, there) = (
            at(format!("2001:db8:{high:x}:{low:x}::1")),
            at(format!("2001:db8:{high:x}:{low:x}::2")),
        );
        let elsewhere = at(format!("2001:db9:{high:x}:{low:x}::1"));
        assert_eq!(self.count_admitted(&here, 20), 20);
        assert_eq!(self.count_admitted(&there, 20), 10);
        assert_eq!(self.peek(&here).remaining, 0);
        assert_eq!(self.peek(&elsewhere).remaining, 30);
    }

    /// Panics unless a time is a window less `gone`, give or take a fifth of a window for a slow machine.
    fn lasts_a_window(&self, time: Duration, gone: Duration) {
        let most = self.window - gone;
        assert!(time <= most && time + self.window / 5 >= most, "{time:?} of {most:?}");
    }

    fn is_within_a_window(&self, seconds: u64) {
        let most = self.window.as_secs() + u64::from(self.window.subsec_nanos() > 0);
        assert!((1..=most).contains(&seconds), "{seconds} of {most} s");
    }
}

/// Waits for a future on this thread.
fn block_on<F: Future>(future: F) -> F::Output {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let waker = Waker::from(Arc::new(Unpark(thread::current())));
    let mut future = pin!(future);
    loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(output) => return output,
            Poll::Pending => thread::park(),
        }
    }
}
