//! What accounts must do in every store. Panics if they do something else.
use std::{collections::HashSet, thread};

use fincore::{
    Accounts, Catalogue, Date, Error, Import, Key, KeyId, Plan, Result, SessionToken,
    accounts::{Cell, Row},
    chrono::{DateTime, TimeDelta, Utc},
    events::EventWindow,
    keys::{self, Registration},
    links, sessions,
    usage::{Outcome, Usage, UsagePosition, UsageQuery, sum_by_month},
    webhooks::{self, DeliveriesQuery, NewWebhook, Targets},
};

mod of_links;
use of_links::new_link;

/// An empty database under trial, as two programs see it.
pub struct Trial<'t> {
    /// One program.
    pub one: &'t Accounts,
    /// Another.
    pub other: &'t Accounts,
    /// An empty catalogue.
    pub catalogue: &'t Catalogue,
}

/// Tries all that accounts do.
pub fn check(trial: &Trial<'_>) {
    trial.keys_live_and_end();
    trial.keys_are_made_side_by_side();
    trial.keys_are_exchanged();
    trial.sessions_live_and_end();
    trial.links_live_and_end();
    trial.links_are_made_side_by_side();
    trial.links_are_used();
    trial.usage_adds_up();
    trial.old_usage_is_summed_by_month();
    trial.unused_keys_are_forgotten();
    trial.webhooks_are_called();
    trial.failures_are_undone();
}

/// Tries to copy these accounts to a database that is empty.
pub fn check_copy(source: &Accounts, target: &Accounts) {
    let copied = source.copy_to(target).expect("the target is empty");
    assert!(copied.is_new && copied.tables.iter().any(|tally| tally.rows > 0), "{copied:?}");
    let again = source.copy_to(target).expect("nothing has changed");
    assert!(!again.is_new && again.tables == copied.tables, "{again:?}");
    let list = |accounts: &Accounts| keys::list(accounts).expect("a list");
    assert_eq!(list(source), list(target));
    // New rows of the source are copied too.
    let key = issue(source, Plan::Gold);
    assert!(source.copy_to(target).expect("it is older").is_new);
    let find = |accounts| keys::authenticate(accounts, &key).expect("it came over").id;
    assert_eq!(find(source), find(target));
    let token = sessions::begin(source, &key, now()).expect("a session");
    assert!(source.copy_to(target).expect("it is older").is_new);
    assert!(sessions::find(target, &token, now()).is_some());
    sessions::begin(target, &key, now()).expect("it has numbers of its own");
    assert!(source.copy_to(target).expect("a session is no reason to refuse").is_new);
    let (_, token) = links::create(source, id(source, &key), &new_link(), now()).expect("a link");
    assert!(source.copy_to(target).expect("it is older").is_new);
    assert!(links::is_valid(target, &token.hash()));
    let (own, _) = links::create(target, id(target, &key), &new_link(), now()).expect("a link");
    assert!(source.copy_to(target).is_err(), "the target has one more link");
    links::revoke_any(target, &own.id, now()).expect("it is there");
    assert!(target.copy_to(source).expect("the source is older").is_new);
    // The target goes on by itself, with numbers of its own.
    let own = issue(target, Plan::Free);
    let id = keys::authenticate(target, &own).expect("it is new").id;
    assert!(id != find(target));
    let refused = source.copy_to(target).expect_err("the target has more");
    assert!(matches!(refused, Error::Invalid(_)), "{refused:?}");
    assert!(keys::authenticate(target, &own).is_ok());
    assert!(target.copy_to(source).expect("the source is older").is_new);
}

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_790_000_000, 0).expect("a time")
}

fn issue(accounts: &Accounts, plan: Plan) -> Key {
    let who = Registration {
        name: "Ana".parse().expect("a name"),
        email: "ana@example.com".parse().expect("an address"),
    };
    keys::issue(accounts, &who, plan, now()).expect("a key")
}

fn id(accounts: &Accounts, key: &Key) -> KeyId {
    keys::id(accounts, &key.prefix()).expect("an id")
}

/// The number that a statement returns.
fn count(accounts: &Accounts, sql: &'static str) -> i64 {
    let rows = accounts.read(|session| session.query(sql, &[])).expect("a row");
    match rows.first().map(Row::cells) {
        Some([Cell::Integer(number)]) => *number,
        _ => panic!("{sql} returns {rows:?}"),
    }
}

impl Trial<'_> {
    fn both(&self) -> [&Accounts; 2] {
        self.both_refreshed().expect("both can be read")
    }

    fn both_refreshed(&self) -> Result<[&Accounts; 2]> {
        self.one.refresh()?;
        self.other.refresh()?;
        Ok([self.one, self.other])
    }

    fn keys_live_and_end(&self) {
        let key = issue(self.one, Plan::Free);
        let plans = |trial: &Self| {
            trial.both().map(|accounts| keys::authenticate(accounts, &key).ok().map(|it| it.plan))
        };
        assert_eq!(plans(self), [Some(Plan::Free); 2]);
        let changed = keys::set_plan(self.other, &key.prefix(), Plan::Gold).expect("a record");
        assert_eq!(changed.plan, Plan::Gold);
        assert_eq!(plans(self), [Some(Plan::Gold); 2]);
        keys::revoke(self.one, &key.prefix(), now()).expect("a record");
        keys::revoke(self.one, &key.prefix(), now()).expect("once more changes nothing");
        assert_eq!(plans(self), [None; 2]);
        let refused = keys::set_plan(self.one, &key.prefix(), Plan::Free);
        assert!(matches!(refused, Err(Error::Invalid(_))), "{refused:?}");
        let unknown = keys::revoke(self.one, &Key::generate().expect("random").prefix(), now());
        assert!(matches!(unknown, Err(Error::NotFound { .. })), "{unknown:?}");
        let any = "fin_".parse().ok().map(|prefix| keys::id(self.one, &prefix));
        assert!(any.is_none_or(|found| found.is_ok()), "there is one key so far");
        let records = keys::list(self.other).expect("a list");
        assert_eq!(records.len(), 1);
        assert_eq!((records[0].created, records[0].revoked), (now(), Some(now())));
    }

    fn keys_are_exchanged(&self) {
        let old = issue(self.one, Plan::Gold);
        let token = sessions::begin(self.one, &old, now()).expect("a session");
        let usage = Usage::default();
        let today: Date = "2026-11-16".parse().expect("a day");
        usage.count(id(self.one, &old), today, "/a", Outcome::Success);
        usage.flush(self.one).expect("it can be written");
        let counted_as = keys::authenticate(self.one, &old).expect("it is known").id;
        let new = keys::rotate(self.one, id(self.one, &old), now()).expect("a key");
        let new = keys::rotate(self.other, id(self.other, &new), now()).expect("another key");
        for accounts in self.both() {
            assert!(keys::authenticate(accounts, &old).is_err());
            assert!(sessions::find(accounts, &token, now()).is_none());
            let caller = keys::authenticate(accounts, &new).expect("it is known");
            assert_eq!((caller.plan, caller.id), (Plan::Gold, counted_as));
        }
        let report = usage.report(self.other, id(self.other, &new), &UsageQuery::default(), today);
        assert_eq!(report.expect("a report").total.requests, 1);
        keys::revoke_by_id(self.other, id(self.other, &new), now()).expect("it is revoked");
        let again = keys::rotate(self.one, id(self.one, &new), now());
        assert!(matches!(again, Err(Error::InvalidKey)), "{:?}", again.err());
    }

    fn keys_are_made_side_by_side(&self) {
        let keys: Vec<Key> = thread::scope(|scope| {
            let makers = [self.one, self.other, self.one, self.other].map(|accounts| {
                scope.spawn(|| (0..10).map(|_| issue(accounts, Plan::Bronze)).collect::<Vec<_>>())
            });
            makers.into_iter().flat_map(|maker| maker.join().expect("no panic")).collect()
        });
        for accounts in self.both() {
            let ids: HashSet<_> = keys
                .iter()
                .map(|key| keys::authenticate(accounts, key).expect("it is known").id)
                .collect();
            assert_eq!(ids.len(), keys.len());
        }
    }

    fn sessions_live_and_end(&self) {
        let (one, other) = (self.one, self.other);
        let keys = [issue(one, Plan::Free), issue(one, Plan::Bronze)];
        self.both();
        let month = now() + TimeDelta::days(30);
        let plans = |token: &SessionToken, time| {
            self.both().map(|it| Some(sessions::find(it, token, time)?.caller.plan))
        };
        let [first, second] = [(one, &keys[0]), (other, &keys[1])]
            .map(|(accounts, key)| sessions::begin(accounts, key, now()).expect("a session"));
        assert_eq!(plans(&first, now()), [Some(Plan::Free); 2]);
        assert_eq!(plans(&second, month - TimeDelta::seconds(1)), [Some(Plan::Bronze); 2]);
        assert_eq!(plans(&second, month), [None; 2]);
        keys::set_plan(other, &keys[0].prefix(), Plan::Gold).expect("a record");
        assert_eq!(plans(&first, now()), [Some(Plan::Gold); 2]);
        sessions::end(other, &first, now()).expect("it ends");
        sessions::end(one, &first, now()).expect("once more changes nothing");
        assert_eq!(plans(&first, now()), [None; 2]);
        // Side by side, and never more than there may be.
        let begin = |accounts| sessions::begin(accounts, &keys[0], now()).expect("a session");
        let many: Vec<_> = thread::scope(|scope| {
            let makers = [one, other].map(|accounts| {
                scope.spawn(move || {
                    (0..sessions::MAX_PER_KEY).map(|_| begin(accounts)).collect::<Vec<_>>()
                })
            });
            makers.into_iter().flat_map(|maker| maker.join().expect("no panic")).collect()
        });
        for accounts in self.both() {
            let lasts = |token: &SessionToken| sessions::find(accounts, token, now()).is_some();
            let [by_one, by_other] =
                [0, 1].map(|maker| &many[maker * sessions::MAX_PER_KEY..][..sessions::MAX_PER_KEY]);
            // Of each maker, the oldest sessions ended, whichever maker was quicker.
            assert!(by_one.is_sorted_by_key(lasts) && by_other.is_sorted_by_key(lasts));
            assert_eq!(many.iter().filter(|token| lasts(token)).count(), sessions::MAX_PER_KEY);
        }
        let newest = &begin(one);
        assert_eq!(plans(newest, now()), [Some(Plan::Gold); 2]);
        keys::revoke(one, &keys[0].prefix(), now()).expect("a record");
        assert_eq!(plans(newest, now()), [None; 2]);
        let refused = sessions::begin(other, &keys[0], now());
        assert!(matches!(refused, Err(Error::InvalidKey)), "{refused:?}");
        // Old sessions are removed, and new ones are found.
        let later = month + TimeDelta::days(2);
        while sessions::sweep(other, later).expect("swept") {}
        let last = sessions::begin(one, &keys[1], later).expect("a session");
        assert_eq!(plans(&last, later), [Some(Plan::Bronze); 2]);
        let sessions = count(one, "SELECT COUNT(*) FROM session");
        assert_eq!(sessions, 2, "the newest that was swept, and the last");
    }

    /// Days of old months are summed, and no total changes.
    fn old_usage_is_summed_by_month(&self) {
        let key = id(self.one, &issue(self.one, Plan::Gold));
        let day = |text: &str| text.parse::<Date>().expect("a day");
        let usage = Usage::default();
        for (date, endpoint) in [
            ("2025-01-01", "/a"),
            ("2025-01-02", "/a"),
            ("2025-01-02", "/b"),
            ("2025-01-31", "/a"),
            ("2025-02-28", "/a"),
            ("2025-10-09", "/a"),
            ("2025-10-10", "/a"),
        ] {
            usage.count(key, day(date), endpoint, Outcome::Failure);
        }
        usage.flush(self.one).expect("it can be written");
        let report = |accounts| {
            let query = UsageQuery { from: Some(day("2024-01-01")), to: Some(day("2026-12-31")) };
            usage.report(accounts, key, &query, day("2026-12-31")).expect("a report")
        };
        let before = report(self.one);
        let mut after = Some(UsagePosition::default());
        while let Some(position) = after {
            after = sum_by_month(self.other, day("2025-10-10"), &position).expect("summed").next;
        }
        let summed = report(self.one);
        assert_eq!(summed.total, before.total);
        let days: Vec<String> = summed.data.iter().map(|day| day.date.to_string()).collect();
        assert_eq!(days, ["2025-10-10", "2025-10-09", "2025-02-01", "2025-01-01"]);
        let january = summed.data.last().expect("a month");
        assert_eq!((january.counts.requests, january.counts.errors), (4, 4));
        assert_eq!((january.endpoints["/a"], january.endpoints["/b"]), (3, 1));
    }

    /// Keys that were registered and never used are revoked and then removed; all others stay.
    fn unused_keys_are_forgotten(&self) {
        let who = Registration {
            name: "Ana".parse().expect("a name"),
            email: "ana@example.com".parse().expect("an address"),
        };
        let long_ago = now() - TimeDelta::days(1000);
        let register = || keys::register(self.one, &who, long_ago).expect("a key");
        let [unused, used, upgraded] = [register(), register(), register()];
        let made = keys::issue(self.one, &who, Plan::Free, long_ago).expect("a key");
        let fresh = keys::register(self.one, &who, now()).expect("a key");
        keys::set_plan(self.one, &upgraded.prefix(), Plan::Bronze).expect("it is moved");
        let usage = Usage::default();
        let today = "2026-11-15".parse().expect("a day");
        usage.count(id(self.one, &used), today, "/a", Outcome::Success);
        usage.flush(self.one).expect("it can be written");
        let before = now() - TimeDelta::days(90);
        let forget = |now| keys::forget_unused(self.other, before, now).expect("forgotten");
        assert_eq!((forget(now()).revoked, forget(now()).revoked), (1, 0));
        for accounts in [self.one, self.other] {
            accounts.refresh().expect("it can be read");
            assert!(keys::authenticate(accounts, &unused).is_err());
            for key in [&used, &upgraded, &made, &fresh] {
                assert!(keys::authenticate(accounts, key).is_ok());
            }
        }
        let forgotten = forget(now() + TimeDelta::days(2));
        assert_eq!((forgotten.revoked, forgotten.removed, forgotten.more), (0, 1, false));
        let is_listed = |key: &Key| {
            keys::list(self.one).expect("a list").iter().any(|record| record.prefix == key.prefix())
        };
        assert!(!is_listed(&unused) && is_listed(&used) && is_listed(&made));
        self.one.refresh().expect("it can be read");
        assert!(keys::authenticate(self.one, &used).is_ok());
    }

    fn usage_adds_up(&self) {
        let key = id(self.one, &issue(self.one, Plan::Gold));
        let today: Date = "2026-11-16".parse().expect("a day");
        let counts = [(self.one, Usage::default()), (self.other, Usage::default())];
        for round in 0..3 {
            for (accounts, usage) in &counts {
                usage.count(key, today, "/a", Outcome::Success);
                usage.count(key, today, "/b", Outcome::Failure);
                usage.count(key, today, "/b", Outcome::RateLimited);
                assert_eq!(usage.unwritten_requests(), 3);
                if round < 2 {
                    usage.flush(accounts).expect("it can be written");
                    usage.flush(accounts).expect("nothing is left");
                }
            }
        }
        for (accounts, usage) in &counts {
            // Two rounds of both, and its own third one.
            let query = UsageQuery::default();
            let report = usage.report(accounts, key, &query, today).expect("a report");
            let total = report.total;
            assert_eq!((total.requests, total.errors, total.rate_limited), (10, 5, 5));
            assert_eq!(report.data[0].endpoints["/a"], 5);
        }
        for (accounts, usage) in &counts {
            usage.flush(accounts).expect("it can be written");
        }
        let report = Usage::default().report(self.one, key, &UsageQuery::default(), today);
        assert_eq!(report.expect("a report").total.requests, 12);
        let before = UsageQuery { from: None, to: Some("2026-11-15".parse().expect("a day")) };
        let report = Usage::default().report(self.one, key, &before, today).expect("a report");
        assert!(report.data.is_empty());
    }

    fn webhooks_are_called(&self) {
        let (one, other) = (self.one, self.other);
        let key = issue(one, Plan::Platinum);
        let key = id(one, &key);
        let today: Date = "2026-11-16".parse().expect("a day");
        let snapshot = || self.catalogue.snapshot(today).expect("a snapshot");
        let new = NewWebhook::new("https://example.com/hook", ["rate.published"]);
        let make = |accounts| {
            webhooks::create(accounts, &snapshot(), key, new.clone(), Targets::Public, now())
        };
        let (hook, secret) = make(one).expect("a webhook");
        let rest: Vec<_> = (1..10).map(|_| make(other).expect("a webhook").0).collect();
        assert!(matches!(make(one), Err(Error::Invalid(_))), "ten are the most");
        rest.iter().for_each(|hook| webhooks::remove(one, key, &hook.id).expect("it is there"));
        self.publish();
        let enqueued: u64 =
            [one, other, one].map(|accounts| self.enqueue_all(accounts, today)).iter().sum();
        assert_eq!(enqueued, 1, "each change is enqueued once");
        let waiting = webhooks::due_webhooks(other, now()).expect("a list");
        assert_eq!(waiting.len(), 1);
        let due =
            |at| webhooks::due_calls(other, &hook.id, at, 10, &HashSet::new()).expect("calls");
        let call = due(now()).pop().expect("a call");
        assert_eq!(call.secret, secret);
        let outcome = |answer, time| webhooks::CallOutcome {
            delivery: call.delivery,
            webhook: hook.id.clone(),
            token: call.token,
            answer,
            time,
            jitter: 0.0,
        };
        webhooks::record_outcomes(one, &[outcome(Err("no answer".to_owned()), now())])
            .expect("noted");
        assert!(due(now()).is_empty());
        let (failed, later) = (webhooks::find(other, key, &hook.id), now() + TimeDelta::hours(1));
        assert_eq!(failed.expect("it is there").failing_since, Some(now()));
        let again = due(later).pop().expect("another attempt");
        let done = webhooks::CallOutcome { token: again.token, ..outcome(Ok(204), later) };
        webhooks::record_outcomes(other, &[done]).expect("noted");
        let query = DeliveriesQuery::new(hook.id.clone());
        let made = webhooks::list_deliveries(one, key, &query).expect("deliveries");
        assert_eq!((made.total, made.data[0].status, made.data[0].attempts), (1, "delivered", 2));
        webhooks::replay(other, key, &hook.id, made.data[0].id, later).expect("a delivery");
        webhooks::send_test(one, key, &hook.id, later).expect("a delivery");
        assert_eq!(due(later).len(), 2);
        let owned = webhooks::disable(one, &hook.id, "tried", later).expect("it is there");
        assert_eq!((owned.pending, owned.webhook.status), (0, "disabled"));
        assert_eq!(webhooks::list_all(other).expect("a list").len(), 1);
        while webhooks::sweep(one, later).expect("swept") {}
        let made = webhooks::list_deliveries(one, key, &query).expect("deliveries");
        assert!(made.data.iter().all(|one| one.status == "failed"), "{made:?}");
        webhooks::remove(other, key, &hook.id).expect("it is there");
        let much_later = later + TimeDelta::days(40);
        while webhooks::sweep(other, much_later).expect("swept") {}
        assert!(webhooks::list(one, key).expect("a list").is_empty());
        // One stays, for the test of copying.
        make(one).expect("a webhook");
    }

    /// Publishes a rate.
    fn publish(&self) {
        let mut import = Import::begin(self.catalogue, now()).expect("an import");
        let rate = br#"[{"data":"01/08/2026","valor":"-0.11"}]"#;
        import.file("bcdata.sgs.433.json", rate).expect("a file of the central bank");
        import.commit().expect("a new rate");
    }

    fn enqueue_all(&self, accounts: &Accounts, today: Date) -> u64 {
        let mut deliveries = 0;
        loop {
            let snapshot = self.catalogue.snapshot(today).expect("a snapshot");
            let enqueued = webhooks::enqueue_events(accounts, &snapshot, EventWindow::ALL, now())
                .expect("enqueued");
            deliveries += enqueued.deliveries;
            if !enqueued.more {
                return deliveries;
            }
        }
    }

    /// A transaction whose work fails leaves nothing, and the next one works.
    fn failures_are_undone(&self) {
        let before = keys::list(self.one).expect("a list").len();
        let failed: Result<()> = self.one.write(|tx| {
            tx.execute("DELETE FROM told", &[])?;
            tx.execute("UPDATE key SET name = 'nobody'", &[])?;
            Err(Error::operation("it is tried"))
        });
        assert!(matches!(failed, Err(Error::Invalid(_))), "{failed:?}");
        let wrong = self.one.read(|session| session.query("SELECT nothing FROM nowhere", &[]));
        assert!(wrong.is_err());
        let after = keys::list(self.other).expect("a list");
        assert_eq!(after.len(), before);
        assert!(after.iter().all(|record| record.name.to_string() == "Ana"));
        issue(self.one, Plan::Free);
    }
}
