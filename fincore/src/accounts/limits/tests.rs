//! The limiter under threads, and over simulated hours.
use std::{
    net::{Ipv4Addr, Ipv6Addr},
    sync::{Barrier, Mutex},
    thread,
};

use proptest::prelude::*;

use super::*;
use crate::values::{Plan, plans::WINDOW};

const SOMEONE: CallerId = CallerId::of_number(7);

/// A limiter and its start; tests add their times to it.
fn limits() -> (Limits, Instant) {
    let start = Instant::now();
    (Limits::new(WINDOW, start), start)
}

fn address(text: &str) -> CallerId {
    CallerId::address(text.parse().unwrap())
}

#[test]
fn threads_together_pass_exactly_the_limit() {
    for run in 0..20 {
        let (limits, start) = limits();
        for (index, plan) in Plan::ALL.into_iter().enumerate() {
            let key =
                CallerId::of_key(crate::values::caller::KeyId::new(u32::try_from(index).unwrap()));
            for caller in [key, CallerId::address(Ipv4Addr::from([10, 0, 0, run]).into())] {
                // By address everyone is on Free.
                let limit = if caller == key { plan.limit() } else { Plan::Free.limit() };
                let start = start + 2 * WINDOW * u32::try_from(index).unwrap();
                let mut remaining = crowd(&limits, caller, limit, start);
                remaining.sort_unstable();
                assert_eq!(remaining, (0..limit).collect::<Vec<_>>(), "{plan}, run {run}");
            }
        }
    }
}

/// The `remaining` of each admitted request: 64 threads, 100 requests each, within a minute.
fn crowd(limits: &Limits, caller: CallerId, limit: u32, start: Instant) -> Vec<u32> {
    let (passed, together) = (Mutex::new(Vec::new()), Barrier::new(64));
    thread::scope(|scope| {
        for _ in 0..64 {
            scope.spawn(|| {
                together.wait();
                let mine: Vec<_> = (0..100)
                    .map(|n| {
                        limits.admit_up_to(limit, caller, start + Duration::from_millis(n * 590))
                    })
                    .filter_map(|outcome| Some(outcome.ok()?.remaining))
                    .collect();
                passed.lock().unwrap().extend(mine);
            });
        }
    });
    passed.into_inner().unwrap()
}

/// The times, in nanoseconds, of the requests that are admitted.
fn count_passed(
    limits: &Limits,
    start: Instant,
    limit: u32,
    times: impl Iterator<Item = u64>,
) -> Vec<u64> {
    let passes = |time: &u64| {
        limits.admit_up_to(limit, SOMEONE, start + Duration::from_nanos(*time)).is_ok()
    };
    times.filter(passes).collect()
}

fn no_window_has_more_than(limit: u32, passed: &[u64]) {
    let too_many = |times: &&[u64]| times[limit as usize] - times[0] < nanos(WINDOW);
    assert_eq!(passed.windows(limit as usize + 1).find(too_many), None);
}

/// Pseudo-random numbers, the same in every run (splitmix64).
fn random(seed: &mut u64) -> u64 {
    *seed = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mixed = (*seed ^ (*seed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^ (mixed >> 31)
}

#[test]
fn an_hour_of_attacks_never_passes_more_than_the_limit() {
    const HOUR: u64 = 3600 * 1_000_000_000;
    let window = nanos(WINDOW);
    for plan in Plan::ALL {
        let limit = plan.limit();
        let spacing = window / u64::from(limit);
        let mut seed = 1;
        let mut time = 0;
        let mut times = Vec::new();
        while time < HOUR {
            let burst = random(&mut seed) % (2 * u64::from(limit));
            time += match random(&mut seed) % 5 {
                // Around the edges of minutes and seconds, where fixed windows and buckets fail.
                0 => window - time % window - random(&mut seed) % 2,
                1 => 1_000_000_000 - time % 1_000_000_000 - random(&mut seed) % 2,
                2 => window - 1 + random(&mut seed) % 3,
                3 => spacing - 1 + random(&mut seed) % 3,
                _ => random(&mut seed) % window,
            };
            for _ in 0..burst {
                time += random(&mut seed) % (spacing * 2) * (random(&mut seed) % 2);
                times.push(time);
            }
        }
        let (limits, start) = limits();
        let passed = count_passed(&limits, start, limit, times.into_iter());
        assert!(passed.len() > 60 * limit as usize / 3, "{plan}: {}", passed.len());
        no_window_has_more_than(limit, &passed);
    }
}

#[test]
fn a_client_evenly_spaced_at_the_limit_is_never_refused() {
    let mut seed = 2;
    for plan in Plan::ALL {
        let spacing = nanos(WINDOW) / u64::from(plan.limit());
        for phase in [0, 1, 999_999_999, random(&mut seed) % spacing] {
            let (limits, start) = limits();
            let hour = (0..60 * u64::from(plan.limit())).map(|n| phase + n * spacing);
            let passed = count_passed(&limits, start, plan.limit(), hour);
            assert_eq!(passed.len(), 60 * plan.limit() as usize, "{plan}");
            no_window_has_more_than(plan.limit(), &passed);
        }
    }
}

#[test]
fn tells_when_the_limit_is_free_again() {
    let (limits, start) = limits();
    let at = |millis: u64| start + Duration::from_millis(millis);
    let standing = |outcome: Result<Standing, Standing>| {
        let standing = outcome.unwrap_or_else(|refused| refused);
        (standing.remaining, standing.free_after.as_millis(), standing.retry_after)
    };
    assert_eq!(standing(Ok(limits.peek_up_to(2, SOMEONE, at(0)))), (2, 0, 0));
    assert_eq!(standing(limits.admit_up_to(2, SOMEONE, at(0))), (1, 60_000, 0));
    assert_eq!(standing(limits.admit_up_to(2, SOMEONE, at(1500))), (0, 60_000, 59));
    assert_eq!(standing(limits.admit_up_to(2, SOMEONE, at(2000))), (0, 59_500, 58));
    assert_eq!(standing(limits.admit_up_to(2, SOMEONE, at(59_999))), (0, 1501, 1));
    assert_eq!(standing(limits.admit_up_to(2, SOMEONE, at(60_000))), (0, 60_000, 2));
    assert_eq!(standing(Ok(limits.peek_up_to(2, SOMEONE, at(61_500)))), (1, 58_500, 0));
    assert_eq!(standing(Ok(limits.peek_up_to(2, SOMEONE, at(120_000)))), (2, 0, 0));
}

#[test]
fn a_smaller_plan_holds_at_once() {
    let (limits, start) = limits();
    for second in 0..50 {
        limits.admit_up_to(100, SOMEONE, start + Duration::from_secs(second)).unwrap();
    }
    let now = start + Duration::from_secs(50);
    let refused = limits.admit_up_to(30, SOMEONE, now).unwrap_err();
    // At most 29 may remain: those of seconds 0 to 20 have to leave, the last of them at second 80.
    assert_eq!((refused.remaining, refused.retry_after), (0, 30));
    assert!(limits.admit_up_to(30, SOMEONE, now + Duration::from_secs(30)).is_ok());
    assert_eq!(limits.admit_up_to(0, SOMEONE, now).unwrap_err().retry_after, 60);
}

#[test]
fn a_thread_that_read_the_clock_earlier_gets_no_more() {
    let (limits, start) = limits();
    let late = start + Duration::from_secs(70);
    limits.admit_up_to(2, SOMEONE, late).unwrap();
    limits.admit_up_to(2, SOMEONE, start).unwrap();
    let refused = limits.admit_up_to(2, SOMEONE, late + Duration::from_secs(59)).unwrap_err();
    assert_eq!(refused.retry_after, 1);
}

#[test]
fn addresses_of_one_network_are_one_caller() {
    let (limits, start) = limits();
    for low in 0..=u16::MAX {
        let host = Ipv6Addr::new(0x2001, 0xdb8, 1, 2, low, low.rotate_left(3), !low, low);
        let _ = limits.admit_up_to(30, CallerId::address(host.into()), start);
    }
    assert_eq!(limits.callers(), 1);
    assert_eq!(limits.peek_up_to(30, address("2001:db8:1:2::"), start).remaining, 0);
    assert_eq!(limits.peek_up_to(30, address("2001:db8:1:3::"), start).remaining, 30);
}

#[test]
fn tells_callers_apart() {
    assert_eq!(address("::ffff:192.0.2.7"), address("192.0.2.7"));
    let key = CallerId::of_key(crate::values::caller::KeyId::new(0xc000_0207));
    let others = ["192.0.2.7", "192.0.2.8", "2001:db8::", "::", "fe80::1", "0:0:c000:207::"];
    let mut callers: Vec<_> = others.into_iter().map(address).chain([key]).collect();
    callers.dedup();
    assert_eq!(callers.len(), others.len() + 1);
    // No request comes from a multicast address, so all of them share one id.
    assert_eq!(address("ffff::c000:207"), address("::"));
}

#[test]
fn forgets_callers_that_are_idle() {
    let (limits, start) = limits();
    for n in 0..10_000 {
        limits.admit_up_to(30, CallerId::of_number(n), start + Duration::from_millis(n)).unwrap();
    }
    limits.sweep(start + Duration::from_secs(65));
    assert_eq!(limits.callers(), 4999);
    limits.sweep(start + Duration::from_secs(70));
    assert_eq!(limits.callers(), 0);
    assert_eq!(limits.logs.capacity(), 0);
}

#[test]
fn a_caller_with_one_request_costs_three_words() {
    assert_eq!(size_of::<(CallerId, Log)>(), 24);
}

proptest! {
    #[test]
    fn is_exact_for_any_traffic(
        limit in 1_u32..8,
        gaps in prop::collection::vec(prop_oneof![0_u64..4, 59_999_999_998_u64..60_000_000_003, 0..70_000_000_000_u64], 1..200),
    ) {
        let (limits, start) = limits();
        let mut time = 0;
        let mut passed: Vec<u64> = Vec::new();
        for gap in gaps {
            time += gap;
            // The definition itself: fewer than the limit within the last 60 seconds.
            let recent = passed.iter().filter(|earlier| time - **earlier < nanos(WINDOW)).count();
            let now = start + Duration::from_nanos(time);
            let outcome = limits.admit_up_to(limit, SOMEONE, now);
            prop_assert_eq!(outcome.is_ok(), recent < limit as usize);
            match outcome {
                Ok(standing) => {
                    passed.push(time);
                    prop_assert_eq!(standing.remaining, limit - 1 - u32::try_from(recent).unwrap());
                }
                Err(standing) => {
                    prop_assert!((1..=60).contains(&standing.retry_after));
                    let later = now + Duration::from_secs(standing.retry_after);
                    prop_assert!(limits_after(&passed, limit, start).admit_up_to(limit, SOMEONE, later).is_ok());
                }
            }
        }
    }
}

/// A limiter with just these requests, so that waiting can be tried without disturbing the other.
fn limits_after(passed: &[u64], limit: u32, start: Instant) -> Limits {
    let limits = Limits::new(WINDOW, start);
    for time in passed {
        limits.admit_up_to(limit, SOMEONE, start + Duration::from_nanos(*time)).unwrap();
    }
    limits
}
