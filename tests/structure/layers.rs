//! Which module may use which, from the lowest to the highest.

mod finserve;
mod http;
pub(super) use finserve::finserve;

/// A module, and the modules of its crate that it may use. Every one of them stands above, so that there can
/// be no circle.
pub(super) type Layer = (&'static str, &'static [&'static str]);
/// Several of them, in order.
pub(super) type Layers = &'static [Layer];

pub(super) const FINCORE: Layers = &[
    ("excerpt", &[]),
    ("lock", &[]),
    ("plans", &["excerpt"]),
    ("error", &["excerpt", "plans"]),
    ("types", &["error", "plans"]),
    ("answers", &["error"]),
    ("table", &["error", "types"]),
    ("deadline", &["error"]),
    ("sqlite", &["deadline", "error", "types"]),
    ("language", &["types"]),
    ("names", &["error", "language", "sqlite", "types"]),
    ("index", &["deadline", "error", "language", "lock", "names", "types"]),
    ("catalogue", &["deadline", "error", "index", "lock", "plans", "sqlite", "types"]),
    ("changes", &["catalogue", "error"]),
    ("downloads", &["catalogue", "error"]),
    ("calendar", &["catalogue", "error", "types"]),
    ("freshness", &["calendar", "catalogue", "error", "types"]),
    ("lookup", &["catalogue", "error", "names", "sqlite", "types"]),
    (
        "market",
        &[
            "answers",
            "catalogue",
            "error",
            "freshness",
            "lock",
            "plans",
            "sqlite",
            "table",
            "types",
        ],
    ),
    ("calc", &["answers", "calendar", "catalogue", "error", "market", "types"]),
    (
        "companies",
        &["answers", "catalogue", "error", "lookup", "names", "sqlite", "table", "types"],
    ),
    (
        "filings",
        &[
            "answers",
            "catalogue",
            "error",
            "index",
            "language",
            "lookup",
            "names",
            "sqlite",
            "table",
            "types",
        ],
    ),
    (
        "search",
        &[
            "answers",
            "catalogue",
            "companies",
            "error",
            "filings",
            "language",
            "names",
            "plans",
            "types",
        ],
    ),
    (
        "datasets",
        &[
            "answers",
            "catalogue",
            "companies",
            "error",
            "filings",
            "freshness",
            "lock",
            "market",
            "sqlite",
            "types",
        ],
    ),
    (
        "export",
        &[
            "catalogue",
            "changes",
            "companies",
            "error",
            "filings",
            "lock",
            "market",
            "table",
            "types",
        ],
    ),
    ("events", &["catalogue", "changes", "companies", "error", "filings", "market", "types"]),
    ("accounts", &["deadline", "error", "sqlite", "types"]),
    ("keys", &["accounts", "error", "plans", "types"]),
    ("sessions", &["accounts", "error", "types"]),
    ("limits", &["plans", "types"]),
    ("usage", &["accounts", "deadline", "error", "keys", "plans", "types"]),
    ("backup", &["accounts", "catalogue", "error", "excerpt", "sqlite"]),
    (
        "webhooks",
        &[
            "accounts",
            "catalogue",
            "error",
            "events",
            "excerpt",
            "lookup",
            "market",
            "plans",
            "types",
        ],
    ),
    (
        "conformance",
        &[
            "accounts",
            "catalogue",
            "error",
            "keys",
            "plans",
            "sessions",
            "types",
            "usage",
            "webhooks",
        ],
    ),
    (
        "import",
        &["catalogue", "companies", "downloads", "error", "excerpt", "filings", "market", "types"],
    ),
    ("bundle", &["catalogue", "companies", "error", "filings", "market", "sqlite", "types"]),
    (
        "integrity",
        &[
            "bundle",
            "catalogue",
            "companies",
            "error",
            "excerpt",
            "filings",
            "index",
            "market",
            "sqlite",
            "types",
        ],
    ),
];
