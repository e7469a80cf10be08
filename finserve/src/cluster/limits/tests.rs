//! Batchers against servers that do as they like, and against real engines where
//! `FINSERVE_TEST_REDIS` and `FINSERVE_TEST_REDIS_CLUSTER` name some.
use std::{
    env,
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    panic::{AssertUnwindSafe, catch_unwind, resume_unwind},
    pin::pin,
    task::{Context, Poll, Waker},
    thread,
};

use fincore::limits::Limiter;
use fincore_testing::limits::{self as conformance, Trial};
use tokio::runtime::Builder;

use super::{engine::Engine, script::Question, *};

/// Limits at an address with `count` batchers that run, while `f` uses them.
fn with_batchers(
    address: &str,
    window: Duration,
    count: usize,
    f: impl FnOnce(&SharedLimits, &[Batcher]),
) {
    let memory = Arc::new(Limits::new(window, Instant::now()));
    let address = Address::parse(address).unwrap();
    let shared = SharedLimits::with_window(address, memory, window).unwrap();
    let batchers: Vec<Batcher> = (0..count).map(|_| shared.new_batcher()).collect();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for batcher in &batchers {
        runtime.spawn(batcher.clone().run());
    }
    f(&shared, &batchers);
    runtime.shutdown_timeout(Duration::from_secs(1));
}

/// The behaviour of a stand-in for Valkey on a connection.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Habit {
    /// Says nothing at all.
    Stalls,
    /// Closes every connection.
    Closes,
    /// Answers something else.
    Speaks(&'static str),
    /// Loads the script, answers the first call, and then says nothing any more.
    StallsLater,
    /// Loads the script, and refuses to run it.
    Refuses(&'static str),
}

/// The address of a server with this habit, which goes on for as long as the tests run.
fn stand_in(habit: Habit) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("redis://:geheim@{}", listener.local_addr().unwrap());
    thread::spawn(move || {
        for stream in listener.incoming() {
            let stream = stream.unwrap();
            thread::spawn(move || talk(stream, habit));
        }
    });
    address
}

/// The answer to the two questions that a connection begins with.
const PROBED: &str = "$32\r\n\u{1}\0\0\0\u{1}\0\0\0\0\0\0\u{3}\0\0\0\0\
    \u{1}\0\0\0\u{1}\0\0\0\0\0\0\u{3}\0\0\0\0\r\n";

fn talk(mut stream: TcpStream, habit: Habit) {
    let (mut calls, mut bytes) = (0, [0; 64 * 1024]);
    while let Ok(length @ 1..) = stream.read(&mut bytes) {
        let asked = String::from_utf8_lossy(&bytes[..length]).into_owned();
        let is_call = asked.contains("EVALSHA");
        calls += u32::from(is_call);
        let answer = match habit {
            Habit::Stalls => continue,
            Habit::Closes => return,
            Habit::Speaks(what) => what,
            Habit::Refuses(why) if is_call => why,
            Habit::StallsLater if is_call && calls > 1 => continue,
            Habit::StallsLater if is_call => PROBED,
            Habit::StallsLater | Habit::Refuses(_) if asked.contains("AUTH") => "+OK\r\n",
            Habit::StallsLater | Habit::Refuses(_) => "$3\r\n5ha\r\n",
        };
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
}

fn parse(numbers: &[u32; 4]) -> Answer {
    script::parse_answers(&script::answer_bytes(numbers), 1).unwrap()[0]
}

fn block_on<F: Future>(future: F) -> F::Output {
    Builder::new_current_thread().build().unwrap().block_on(future)
}

#[test]
fn a_replica_alone_holds_the_limit_and_never_waits_long() {
    let habits = [
        Habit::Stalls,
        Habit::Closes,
        Habit::Speaks("HTTP/1.1 400 Bad Request\r\n\r\n"),
        Habit::Speaks("-WRONGPASS invalid username-password pair\r\n"),
        Habit::StallsLater,
        Habit::Refuses("-READONLY You can't write against a read only replica.\r\n"),
        Habit::Refuses("*1\r\n:1\r\n"),
    ];
    for habit in habits {
        with_batchers(&stand_in(habit), WINDOW, 2, |shared, batchers| {
            let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
            let begun = Instant::now();
            let passed = (0..40).filter(|turn| {
                let batcher = &batchers[turn % batchers.len()];
                block_on(batcher.admit(&caller, Instant::now())).is_ok()
            });
            assert_eq!(passed.count(), 30, "{habit:?}");
            assert_eq!(block_on(batchers[0].peek(&caller, Instant::now())).remaining, 0);
            assert_eq!(shared.peek(&caller, Instant::now()).remaining, 0);
            assert!(shared.admit(&caller, Instant::now()).is_err());
            // Each waits a quarter of a second at most; no caller waits forty times, even where the machine is held up.
            assert!(begun.elapsed() < 40 * FIRST_CONNECT, "{habit:?}");
            // An engine that answers the first call is taken for well until the next.
            assert!(shared.is_away() || habit == Habit::StallsLater, "{habit:?}");
            assert_eq!(shared.decided_alone(), 41, "{habit:?}");
        });
    }
}

#[test]
fn no_request_waits_for_a_batcher_that_does_not_run() {
    let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse(&stand_in(Habit::Stalls)).unwrap();
    let batcher = SharedLimits::start(address, memory).unwrap().new_batcher();
    let mut context = Context::from_waker(Waker::noop());
    let mut is_alone = || {
        let mut asked = pin!(batcher.admit(&caller, Instant::now()));
        matches!(asked.as_mut().poll(&mut context), Poll::Ready(Ok(_)))
    };
    assert!(is_alone(), "it has not begun");
    let run = batcher.clone().run();
    assert!(!is_alone(), "it has begun");
    // A runtime that stops may drop a task before its first poll.
    drop(run);
    assert!(is_alone(), "it was never polled");
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let run = runtime.spawn(batcher.clone().run());
    runtime.block_on(tokio::task::yield_now());
    assert!(!run.is_finished(), "it runs");
    drop(runtime);
    assert!(is_alone(), "it has ended");
}

#[test]
fn requests_that_wait_when_a_batcher_ends_are_decided_alone() {
    let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let batcher = SharedLimits::start(address, memory).unwrap().new_batcher();
    let run = batcher.clone().run();
    let mut asked = pin!(batcher.admit(&caller, Instant::now()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(asked.as_mut().poll(&mut context).is_pending());
    drop(run);
    assert!(matches!(asked.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
}

#[test]
fn what_was_admitted_alone_counts_after_the_return() {
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let limits = SharedLimits::with_window(address, memory, WINDOW).unwrap().0;
    let (caller, now) = (Caller::at(Ipv4Addr::LOCALHOST.into()), Instant::now());
    let answer = |used: u32| parse(&[1, used, 60_000_000, 0]);
    // The engine admits ten, goes away, and comes back having forgotten everything.
    for used in 1..=10 {
        assert_eq!(
            limits.admit_by_answer(&caller, now, &answer(used)).unwrap().remaining,
            30 - used
        );
    }
    assert_eq!((0..15).filter(|_| limits.admit_alone(&caller, now).is_ok()).count(), 15);
    assert_eq!(limits.refuse_at_once(&caller, now), None);
    let passed =
        (1..=20).filter(|used| limits.admit_by_answer(&caller, now, &answer(*used)).is_ok());
    assert_eq!(passed.count(), 5);
    assert_eq!(limits.refuse_at_once(&caller, now).unwrap().remaining, 0);
    // A window later, what the engine says is all that counts.
    let later = now + WINDOW;
    assert_eq!(limits.refuse_at_once(&caller, later), None);
    assert_eq!(
        (1..=40).filter(|_| limits.admit_by_answer(&caller, later, &answer(1)).is_ok()).count(),
        40
    );
}

#[test]
fn the_last_answer_of_the_engine_holds_without_it() {
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let limits = SharedLimits::with_window(address, memory, WINDOW).unwrap().0;
    let (caller, now) = (Caller::at(Ipv4Addr::LOCALHOST.into()), Instant::now());
    let answer = parse(&[0, 30, 50_000_000, 10_000_000]);
    assert!(limits.admit_by_answer(&caller, now, &answer).is_err());
    let refused = limits.admit_alone(&caller, now + Duration::from_secs(7)).unwrap_err();
    assert_eq!((refused.remaining, refused.retry_after), (0, 3));
    // A caller that gets a larger plan is admitted, and so is one that waits as long as it was asked to.
    let larger = Caller { plan: fincore::Plan::Gold, ..caller };
    assert!(limits.admit_alone(&larger, now + Duration::from_secs(7)).is_ok());
    assert!(limits.admit_alone(&caller, now + Duration::from_secs(10)).is_ok());
}

/// The addresses of real engines, as far as there are some: a server, and a node of a cluster.
fn engines() -> impl Iterator<Item = String> {
    let names = ["FINSERVE_TEST_REDIS", "FINSERVE_TEST_REDIS_CLUSTER"];
    names.into_iter().filter_map(|name| env::var(name).ok().filter(|address| !address.is_empty()))
}

#[test]
fn does_what_every_limiter_must() {
    /// Asks by another batcher each time, as requests come to several replicas.
    struct Replicas<'b>(&'b [Batcher], AtomicUsize);
    impl Replicas<'_> {
        fn next(&self) -> &Batcher {
            &self.0[self.1.fetch_add(1, Ordering::Relaxed) % self.0.len()]
        }
    }
    impl Limiter for Replicas<'_> {
        fn admit(
            &self,
            caller: &Caller,
            now: Instant,
        ) -> impl Future<Output = Result<Standing, Standing>> + Send {
            self.next().admit(caller, now)
        }
        fn peek(&self, caller: &Caller, now: Instant) -> impl Future<Output = Standing> + Send {
            self.next().peek(caller, now)
        }
    }
    let window = Duration::from_secs(3);
    for address in engines() {
        // On a busy machine an engine may take longer than it may, which proves nothing.
        let is_tried = (0..3).any(|attempt| {
            let mut was_quick = true;
            with_batchers(&address, window, 3, |shared, batchers| {
                let trial = Trial {
                    limits: &Replicas(batchers, AtomicUsize::new(0)),
                    window,
                    now: &Instant::now,
                    wait: &thread::sleep,
                    first_key: (std::process::id() * 4 + attempt) * 64,
                };
                let checked = catch_unwind(AssertUnwindSafe(|| conformance::check(&trial)));
                was_quick = shared.0.last_alone.load(Ordering::Relaxed) == 0;
                if was_quick {
                    checked.unwrap_or_else(|panic| resume_unwind(panic));
                    assert_eq!(shared.decided_alone(), 0);
                    assert!(!shared.is_away());
                }
            });
            was_quick
        });
        assert!(is_tried, "the engine was too slow for this test");
    }
}

#[test]
fn the_script_is_loaded_again_where_it_is_lost() {
    for address in engines() {
        let endpoint = Endpoint::new(Address::parse(&address).unwrap()).unwrap();
        block_on_all(async {
            let mut one = Engine::open(&endpoint, WINDOW).await.unwrap();
            let mut other = Engine::open(&endpoint, WINDOW).await.unwrap();
            one.ask(&[Question::probe()]).await.unwrap();
            other.flush_scripts().await.unwrap();
            let probes = Question::probe_for_cluster();
            assert_eq!(one.ask(&probes).await.unwrap().len(), probes.len());
        });
    }
}

fn block_on_all<F: Future>(future: F) -> F::Output {
    Builder::new_current_thread().enable_all().build().unwrap().block_on(future)
}

#[test]
fn an_engine_that_comes_back_empty_gives_no_second_limit() {
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://127.0.0.1:1").unwrap();
    let shared = SharedLimits::with_window(address, memory, WINDOW).unwrap();
    let (caller, now) = (Caller::at(Ipv4Addr::LOCALHOST.into()), Instant::now());
    let answer = Answer { admitted: true, used: 1, free_after: WINDOW, wait: Duration::ZERO };
    let admitted = || shared.0.admit_by_answer(&caller, now, &answer).is_ok();
    assert!((0..caller.plan.limit()).all(|_| admitted()));
    shared.0.report_lost(&Fault::Slow);
    assert!(!admitted());
    assert!(shared.0.refuse_at_once(&caller, now).is_some());
}
