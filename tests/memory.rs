//! What a million callers cost, measured as the memory of this process. Alone in its program, so that
//! no other test counts.
use std::{
    fs,
    net::Ipv4Addr,
    time::{Duration, Instant},
};

use fincore::{Caller, limits::Limits, plans::WINDOW};

const MIB: u64 = 1024 * 1024;

#[test]
fn a_million_addresses_cost_64_mib_at_most_and_give_it_back() {
    let Some(before) = resident() else { return };
    let start = Instant::now();
    let limits = Limits::new(WINDOW, start);
    for n in 0..1_000_000_u32 {
        let caller = Caller::at(Ipv4Addr::from_bits(n.reverse_bits()).into());
        let now = start + Duration::from_micros(u64::from(n) * 59);
        assert!(limits.admit(&caller, now).is_ok());
    }
    let grown = resident().unwrap_or_default().saturating_sub(before);
    assert_eq!(limits.callers(), 1_000_000);
    assert!(grown <= 64 * MIB, "grown by {} MiB", grown / MIB);

    limits.sweep(start + Duration::from_secs(120));
    let left = resident().unwrap_or_default().saturating_sub(before);
    assert_eq!(limits.callers(), 0);
    assert!(left <= grown / 4, "{} of {} MiB are left", left / MIB, grown / MIB);
    eprintln!("grown by {:.1} MiB, {:.1} left", mib(grown), mib(left));
}

/// The memory that this process holds, in bytes; only Linux tells.
fn resident() -> Option<u64> {
    let pages = fs::read_to_string("/proc/self/statm").ok()?;
    Some(pages.split(' ').nth(1)?.parse::<u64>().ok()? * 4096)
}

#[expect(clippy::cast_precision_loss, reason = "for people's eyes")]
fn mib(bytes: u64) -> f64 {
    bytes as f64 / MIB as f64
}
