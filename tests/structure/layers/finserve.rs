//! The modules of the program.
use super::{Layer, Layers, http::HTTP};

/// All of them, from the lowest to the highest.
pub(crate) fn finserve() -> Vec<Layer> {
    [BELOW, HTTP, ABOVE].concat()
}

/// What `http` is built on.
const BELOW: Layers = &[
    ("base_path", &[]),
    ("bell", &[]),
    ("build", &[]),
    ("jitter", &[]),
    ("log", &[]),
    ("metrics", &["build", "log"]),
    ("names", &[]),
    ("now", &[]),
    ("offer", &["base_path"]),
    ("ready", &[]),
    ("stop", &[]),
    ("tls", &[]),
    ("outgoing", &["tls"]),
    ("lock", &["stop"]),
    ("election", &["lock", "log"]),
    ("turn", &[]),
    ("typed", &[]),
    ("sources", &["jitter", "lock", "metrics", "now", "outgoing", "stop", "turn"]),
    (
        "cluster",
        &["election", "lock", "log", "metrics", "now", "outgoing", "sources", "stop", "tls"],
    ),
    ("bundled", &[]),
    ("pages", &["base_path", "names", "offer"]),
    ("ordered", &[]),
    ("api", &["ordered"]),
    ("mcp", &["api", "ordered"]),
];

/// What uses it.
const ABOVE: Layers = &[
    ("http", &[]),
    ("ask", &["api", "http", "now", "outgoing", "sources"]),
    (
        "cli",
        &[
            "ask",
            "base_path",
            "build",
            "bundled",
            "cluster",
            "lock",
            "log",
            "offer",
            "sources",
            "typed",
        ],
    ),
    ("housekeeping", &["http", "log", "now", "ready", "stop"]),
    ("admin", &["cluster", "http", "metrics", "now", "ready"]),
    ("deliver", &["bell", "election", "http", "jitter", "lock", "log", "now", "outgoing", "stop"]),
    (
        "commands",
        &[
            "admin",
            "api",
            "ask",
            "bundled",
            "cli",
            "cluster",
            "deliver",
            "election",
            "housekeeping",
            "http",
            "lock",
            "log",
            "mcp",
            "metrics",
            "now",
            "ordered",
            "outgoing",
            "ready",
            "sources",
            "stop",
            "tls",
            "turn",
            "typed",
        ],
    ),
];
