use super::*;

#[test]
fn names_file_and_line() {
    let refused = |line| Error::Refused {
        file: "a.csv".into(),
        line,
        reason: "it has no observations".into(),
        can_be_forced: false,
    };
    assert_eq!(refused(Some(3)).to_string(), "a.csv, line 3: it has no observations");
    assert_eq!(refused(None).to_string(), "a.csv: it has no observations");
}

#[test]
fn tells_trouble_with_the_file_from_faults_of_the_program() {
    use rusqlite::ffi;
    let cases = [
        (ffi::SQLITE_CORRUPT, "Unavailable"),
        (ffi::SQLITE_NOTADB, "Unavailable"),
        (ffi::SQLITE_IOERR_READ, "Unavailable"),
        (ffi::SQLITE_IOERR_SHORT_READ, "Unavailable"),
        (ffi::SQLITE_CANTOPEN, "Unavailable"),
        (ffi::SQLITE_FULL, "Unavailable"),
        (ffi::SQLITE_READONLY_DBMOVED, "Unavailable"),
        (ffi::SQLITE_BUSY, "Busy"),
        (ffi::SQLITE_LOCKED, "Busy"),
        (ffi::SQLITE_INTERRUPT, "Busy"),
        (ffi::SQLITE_ERROR, "Storage"),
        (ffi::SQLITE_CONSTRAINT, "Storage"),
        (ffi::SQLITE_MISUSE, "Storage"),
    ];
    for (code, kind) in cases {
        let err = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        assert_eq!(format!("{:?}", Error::from(err).kind()), kind, "{code}");
    }
}

#[test]
fn tells_a_damaged_file_from_a_full_disk() {
    use rusqlite::ffi;
    let cases = [
        (ffi::SQLITE_CORRUPT, true),
        (ffi::SQLITE_NOTADB, true),
        (ffi::SQLITE_FULL, false),
        (ffi::SQLITE_IOERR_READ, false),
        (ffi::SQLITE_CANTOPEN, false),
        (ffi::SQLITE_BUSY, false),
    ];
    for (code, is_damage) in cases {
        let err = rusqlite::Error::SqliteFailure(ffi::Error::new(code), None);
        assert_eq!(Error::from(err).is_damage(), is_damage, "{code}");
    }
}

#[test]
fn shortens_a_long_value() {
    let message = Error::invalid(&"é".repeat(5000), Wanted::Plan).to_string();
    let plan = "a plan (free, bronze, gold or platinum)";
    assert_eq!(message, format!("\"{}…\" is not {plan}", "é".repeat(60)));
}

#[test]
fn says_what_was_not_found() {
    let cases = [
        (Error::not_found(Resource::Company, "999999"), "there is no company \"999999\""),
        (
            Error::NotFound { what: Resource::CurrencyPair, id: "XXX/BRL".into() },
            "there are no quotes for XXX/BRL",
        ),
        (
            Error::NotFound { what: Resource::Series, id: "432 (selic)".into() },
            "there are no observations of series 432 (selic) yet",
        ),
        (
            Error::NotFound { what: Resource::UnknownSeries, id: "nope".into() },
            "there are no observations of a series \"nope\" yet",
        ),
    ];
    for (err, message) in cases {
        assert_eq!(err.to_string(), message);
    }
}
