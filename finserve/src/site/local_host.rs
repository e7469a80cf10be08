//! Recognises clients on this very machine.

/// Whether the value of a `Host` header names the machine of its sender: with or without a port.
pub(crate) fn is_local(host: &str) -> bool {
    let name = match host.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => host.split(':').next().unwrap_or_default(),
    };
    ["localhost", "127.0.0.1", "::1"].contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn knows_the_names_of_this_machine() {
        for local in ["localhost", "localhost:8080", "127.0.0.1:80", "[::1]", "[::1]:8080"] {
            assert!(is_local(local), "{local}");
        }
        for other in ["", "localhost.example", "127.0.0.1.example", "[::2]", "data.example:80"] {
            assert!(!is_local(other), "{other}");
        }
    }
}
