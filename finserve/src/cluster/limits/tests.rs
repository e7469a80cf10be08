//! Lanes against servers that do as they like, and against a real engine where `FINSERVE_TEST_REDIS` names one.
use std::{
    env,
    io::{Read, Write},
    net::{Ipv4Addr, TcpListener, TcpStream},
    pin::pin,
    task::{Context, Poll, Waker},
    thread,
};

use fincore::limits::{
    Limiter,
    conformance::{self, Trial},
};
use tokio::runtime::Builder;

use super::*;

/// Limits at an address with `count` lanes that run, while `f` uses them.
fn with_lanes(
    address: &str,
    window: Duration,
    count: usize,
    f: impl FnOnce(&SharedLimits, &[Lane]),
) {
    let memory = Arc::new(Limits::new(window, Instant::now()));
    let address = Address::parse(address).unwrap();
    let shared = SharedLimits::with_window(address, memory, window).unwrap();
    let lanes: Vec<Lane> = (0..count).map(|_| shared.lane()).collect();
    let runtime = Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for lane in &lanes {
        runtime.spawn(lane.clone().run());
    }
    f(&shared, &lanes);
    runtime.shutdown_timeout(Duration::from_secs(1));
}

/// What a stand-in for Valkey does with a connection.
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
            Habit::StallsLater if is_call => "*4\r\n:1\r\n:1\r\n:60000000\r\n:0\r\n",
            Habit::StallsLater | Habit::Refuses(_) => "+OK\r\n$3\r\n5ha\r\n",
        };
        if stream.write_all(answer.as_bytes()).is_err() {
            return;
        }
    }
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
        with_lanes(&stand_in(habit), WINDOW, 2, |shared, lanes| {
            let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
            let begun = Instant::now();
            let passed = (0..40).filter(|turn| {
                let lane = &lanes[turn % lanes.len()];
                block_on(lane.admit(&caller, Instant::now())).is_ok()
            });
            assert_eq!(passed.count(), 30, "{habit:?}");
            assert_eq!(block_on(lanes[0].peek(&caller, Instant::now())).remaining, 0);
            assert_eq!(shared.peek(&caller, Instant::now()).remaining, 0);
            assert!(shared.admit(&caller, Instant::now()).is_err());
            // Each waits a quarter of a second at most; nobody waits forty times, even where the machine is held up.
            assert!(begun.elapsed() < 40 * FIRST, "{habit:?}");
            // Who answers the first call is taken for well until the next.
            assert!(shared.is_away() || habit == Habit::StallsLater, "{habit:?}");
            assert_eq!(shared.alone(), 41, "{habit:?}");
        });
    }
}

#[test]
fn nobody_waits_for_a_lane_that_does_not_run() {
    let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse(&stand_in(Habit::Stalls)).unwrap();
    let lane = SharedLimits::start(address, memory).unwrap().lane();
    let mut context = Context::from_waker(Waker::noop());
    let mut is_alone = || {
        let mut asked = pin!(lane.admit(&caller, Instant::now()));
        matches!(asked.as_mut().poll(&mut context), Poll::Ready(Ok(_)))
    };
    assert!(is_alone(), "it has not begun");
    let run = lane.clone().run();
    assert!(!is_alone(), "it has begun");
    // A runtime that stops may drop a task before its first poll.
    drop(run);
    assert!(is_alone(), "it was never polled");
    let runtime = Builder::new_current_thread().enable_all().build().unwrap();
    let run = runtime.spawn(lane.clone().run());
    runtime.block_on(tokio::task::yield_now());
    assert!(!run.is_finished(), "it runs");
    drop(runtime);
    assert!(is_alone(), "it has ended");
}

#[test]
fn whoever_waits_when_a_lane_ends_is_left_alone() {
    let caller = Caller::at(Ipv4Addr::LOCALHOST.into());
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let lane = SharedLimits::start(address, memory).unwrap().lane();
    let run = lane.clone().run();
    let mut asked = pin!(lane.admit(&caller, Instant::now()));
    let mut context = Context::from_waker(Waker::noop());
    assert!(asked.as_mut().poll(&mut context).is_pending());
    drop(run);
    assert!(matches!(asked.as_mut().poll(&mut context), Poll::Ready(Ok(_))));
}

#[test]
fn what_was_admitted_alone_counts_after_the_return() {
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let common = SharedLimits::with_window(address, memory, WINDOW).unwrap().0;
    let (caller, now) = (Caller::at(Ipv4Addr::LOCALHOST.into()), Instant::now());
    let told = |used: i64| {
        let numbers = [1, used, 60_000_000, 0].map(resp::Reply::Number).into();
        script::answers(&resp::Reply::List(numbers), 1).unwrap()[0]
    };
    // The engine admits ten, goes away, and comes back having forgotten everything.
    for used in 1..=10 {
        assert_eq!(
            common.admitted(&caller, now, &told(used)).unwrap().remaining,
            30 - u32::try_from(used).unwrap()
        );
    }
    assert_eq!((0..15).filter(|_| common.admit_alone(&caller, now).is_ok()).count(), 15);
    assert_eq!(common.full(&caller, now), None);
    let passed = (1..=20).filter(|used| common.admitted(&caller, now, &told(*used)).is_ok());
    assert_eq!(passed.count(), 5);
    assert_eq!(common.full(&caller, now).unwrap().remaining, 0);
    // A window later, what the engine says is all that counts.
    let later = now + WINDOW;
    assert_eq!(common.full(&caller, later), None);
    assert_eq!((1..=40).filter(|_| common.admitted(&caller, later, &told(1)).is_ok()).count(), 40);
}

#[test]
fn what_the_engine_said_last_holds_without_it() {
    let memory = Arc::new(Limits::new(WINDOW, Instant::now()));
    let address = Address::parse("redis://a").unwrap();
    let common = SharedLimits::with_window(address, memory, WINDOW).unwrap().0;
    let (caller, now) = (Caller::at(Ipv4Addr::LOCALHOST.into()), Instant::now());
    let numbers = [0, 30, 50_000_000, 10_000_000].map(resp::Reply::Number).into();
    let told = script::answers(&resp::Reply::List(numbers), 1).unwrap()[0];
    assert!(common.admitted(&caller, now, &told).is_err());
    let refused = common.admit_alone(&caller, now + Duration::from_secs(7)).unwrap_err();
    assert_eq!((refused.remaining, refused.retry_after), (0, 3));
    // Whoever gets a larger plan, and whoever waits as long as was said, is admitted.
    let larger = Caller { plan: fincore::Plan::Gold, ..caller };
    assert!(common.admit_alone(&larger, now + Duration::from_secs(7)).is_ok());
    assert!(common.admit_alone(&caller, now + Duration::from_secs(10)).is_ok());
}

/// The address of a real engine, if there is one.
fn engine() -> Option<String> {
    env::var("FINSERVE_TEST_REDIS").ok().filter(|address| !address.is_empty())
}

#[test]
fn does_what_every_limiter_must() {
    /// Asks by another lane each time, as requests come to several replicas.
    struct Replicas<'l>(&'l [Lane], AtomicUsize);
    impl Replicas<'_> {
        fn next(&self) -> &Lane {
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
    let Some(address) = engine() else { return };
    let window = Duration::from_secs(3);
    with_lanes(&address, window, 3, |shared, lanes| {
        conformance::check(&Trial {
            limits: &Replicas(lanes, AtomicUsize::new(0)),
            window,
            now: &Instant::now,
            wait: &thread::sleep,
            first_key: std::process::id() * 64,
        });
        assert_eq!(shared.alone(), 0, "the engine was too slow for this test");
        assert!(!shared.is_away());
    });
}

#[test]
fn the_script_is_loaded_again_where_it_is_lost() {
    let Some(address) = engine() else { return };
    let address = Address::parse(&address).unwrap().ready().unwrap();
    block_on_all(async {
        let mut one = Connection::open(&address, WINDOW).await.unwrap();
        let mut other = Connection::open(&address, WINDOW).await.unwrap();
        one.ask(&[Question::probe()]).await.unwrap();
        other.flush_scripts().await.unwrap();
        one.ask(&[Question::probe(), Question::probe()]).await.unwrap();
    });
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
    let told = Told { admitted: true, used: 1, free_after: WINDOW, wait: Duration::ZERO };
    let admitted = || shared.0.admitted(&caller, now, &told).is_ok();
    assert!((0..caller.plan.limit()).all(|_| admitted()));
    shared.0.lost(&Fault::Slow);
    assert!(!admitted());
    assert!(shared.0.full(&caller, now).is_some());
}
