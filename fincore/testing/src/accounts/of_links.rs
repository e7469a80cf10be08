//! What accounts must do with links in every store.
use std::thread;

use fincore::{
    Date, Error, Invalid, LinkFault, LinkToken, Plan,
    chrono::TimeDelta,
    keys,
    links::{self, NewLink},
    usage::{Outcome, Usage, UsageQuery},
};

use super::{Trial, count, id, issue, now};

pub(super) fn new_link() -> NewLink {
    NewLink { name: "Budget".parse().expect("a name"), path: None }
}

impl Trial<'_> {
    pub(super) fn links_live_and_end(&self) {
        let (one, other) = (self.one, self.other);
        let key = issue(one, Plan::Bronze);
        let of = id(one, &key);
        let path = "/api/v1/market/selic?from=2026-01-01";
        let bound = NewLink { path: Some(path.parse().expect("a path")), ..new_link() };
        let (link, token) = links::create(one, of, &bound, now()).expect("a link");
        let plans = |token: &LinkToken| {
            self.both().map(|it| Some(links::find(it, &token.hash())?.caller.plan))
        };
        assert_eq!(plans(&token), [Some(Plan::Bronze); 2]);
        let holder = links::find(other, &token.hash()).expect("it is known");
        assert_eq!((holder.key, holder.caller.key), (key.prefix(), Some(of)));
        assert_eq!(holder.path.expect("it is bound").as_str(), path);
        let listed = links::list(other, of).expect("a list");
        assert_eq!((&listed[..], link.created, link.last_used), (&[link.clone()][..], now(), None));
        keys::set_plan(other, &key.prefix(), Plan::Gold).expect("a record");
        assert_eq!(plans(&token), [Some(Plan::Gold); 2]);
        // Each takes the row of one that was revoked, and none of those is good again.
        let mut revoked = Vec::new();
        for _ in 0..3 * links::MAX_PER_KEY {
            let (link, token) = links::create(other, of, &new_link(), now()).expect("a link");
            links::revoke(one, of, &link.id, now()).expect("it is revoked");
            revoked.push(token);
        }
        self.both();
        for token in &revoked {
            assert!(![one, other].into_iter().any(|it| links::is_valid(it, &token.hash())));
        }
        let rows = count(one, "SELECT COUNT(*) FROM link");
        assert_eq!(rows, 2 * i64::try_from(links::MAX_PER_KEY).expect("a few"));
        // It moves with its key, and ends with it.
        let stranger = id(one, &issue(one, Plan::Free));
        let not_found = links::revoke(one, stranger, &link.id, now());
        assert!(matches!(not_found, Err(Error::NotFound { .. })), "{not_found:?}");
        let new = keys::rotate(other, of, now()).expect("a key");
        assert_eq!(plans(&token), [Some(Plan::Gold); 2]);
        assert!(links::list(one, of).expect("a list").is_empty());
        assert_eq!(links::list(one, id(one, &new)).expect("a list").len(), 1);
        let refused = links::create(one, of, &new_link(), now());
        assert!(matches!(refused, Err(Error::InvalidKey)), "{:?}", refused.err());
        keys::revoke(one, &new.prefix(), now()).expect("a record");
        assert_eq!(plans(&token), [None; 2]);
    }

    /// Two programs make links of one key, which never has more than it may.
    pub(super) fn links_are_made_side_by_side(&self) {
        let of = id(self.one, &issue(self.one, Plan::Free));
        let made: usize = thread::scope(|scope| {
            let makers = [self.one, self.other].map(|accounts| {
                scope.spawn(move || {
                    let make = |_: &usize| match links::create(accounts, of, &new_link(), now()) {
                        Ok(_) => true,
                        Err(Error::Invalid(Invalid::Link(LinkFault::TooMany { most: 20 }))) => {
                            false
                        }
                        Err(err) => panic!("{err}"),
                    };
                    (0..links::MAX_PER_KEY).filter(make).count()
                })
            });
            makers.into_iter().map(|maker| maker.join().expect("no panic")).sum()
        });
        let listed = links::list(self.other, of).expect("a list");
        assert_eq!((made, listed.len()), (links::MAX_PER_KEY, links::MAX_PER_KEY));
        links::revoke_any(self.other, &listed[7].id, now()).expect("it is there");
        assert!(links::create(self.one, of, &new_link(), now()).is_ok());
    }

    /// What came by a link is counted to its key and marked, and the last use is known to the minute.
    pub(super) fn links_are_used(&self) {
        let of = id(self.one, &issue(self.one, Plan::Gold));
        let (link, token) = links::create(self.one, of, &new_link(), now()).expect("a link");
        let usage = Usage::default();
        let today: Date = "2026-09-21".parse().expect("a day");
        let last = now() + TimeDelta::seconds(3_599);
        for (time, outcome) in [
            (last, Outcome::Success),
            (now(), Outcome::Failure),
            (last + TimeDelta::hours(1), Outcome::RateLimited),
        ] {
            usage.count_by_link(of, token.hash(), today, time, "/a", outcome);
        }
        usage.count(of, today, "/a", Outcome::Success);
        for round in 0..2 {
            let report = usage.report(self.one, of, &UsageQuery::default(), today);
            let total = report.expect("a report").total;
            assert_eq!((total.requests, total.errors, total.rate_limited), (3, 1, 1), "{round}");
            assert_eq!(total.by_links, 2, "{round}");
            usage.flush(self.one).expect("it can be written");
        }
        let used = |accounts| {
            let listed = links::list(accounts, of).expect("a list");
            listed.iter().find(|one| one.id == link.id).and_then(|one| one.last_used)
        };
        let minute = last.timestamp() - last.timestamp().rem_euclid(60);
        assert_eq!(used(self.other).map(|time| time.timestamp()), Some(minute));
        // An older use that another program writes later changes nothing.
        let late = Usage::default();
        late.count_by_link(of, token.hash(), today, now(), "/a", Outcome::Success);
        late.flush(self.other).expect("it can be written");
        assert_eq!(used(self.one).map(|time| time.timestamp()), Some(minute));
    }
}
