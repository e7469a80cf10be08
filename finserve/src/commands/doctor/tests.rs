use super::*;

#[test]
fn a_clock_before_the_data_or_years_after_it_is_wrong() {
    let time = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
    let changed = Some(time("2026-10-05T00:00:00Z"));
    for (now, verdict) in [
        ("1970-01-01T00:00:00Z", Verdict::Wrong),
        ("2026-10-04T23:59:59Z", Verdict::Wrong),
        ("2026-10-05T00:00:01Z", Verdict::Fine),
        ("2028-10-05T00:00:00Z", Verdict::Fine),
        ("2106-02-07T00:00:00Z", Verdict::Wrong),
    ] {
        assert_eq!(machine::check_clock(time(now), changed).unwrap().verdict, verdict, "{now}");
    }
    assert!(machine::check_clock(time("1970-01-01T00:00:00Z"), None).is_none());
}

#[test]
fn one_publisher_that_agrees_is_enough_to_trust_the_clock() {
    let now = "2026-10-05T00:00:00Z".parse::<DateTime<Utc>>().unwrap();
    let reply = |clock| PublisherReply {
        publisher: "SGS",
        address: "https://a".into(),
        clock,
        is_reached: true,
    };
    let hour = TimeDelta::hours(1);
    let verdict =
        |replies: &[PublisherReply]| compare_clocks(replies, now).map(|finding| finding.verdict);
    assert_eq!(verdict(&[reply(Ok(Some(now - hour))), reply(Ok(Some(now)))]), Some(Verdict::Fine));
    assert_eq!(verdict(&[reply(Ok(Some(now - hour)))]), Some(Verdict::Wrong));
    assert_eq!(verdict(&[reply(Ok(None)), reply(Err("silent".into()))]), None);
}
