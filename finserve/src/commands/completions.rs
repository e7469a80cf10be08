//! `finserve completions`: what a shell needs to complete commands, flags and values.
//!
//! The scripts ask this program, which knows its data: see `cli/complete.rs`.
use clap_complete::{Shell, env::Shells};

use super::{Failure, output::terminal::print};
use crate::cli;

/// Bash inserts a candidate unquoted: a value with spaces must be escaped, unless the user has typed a quote before it.
const BASH_QUOTES: &str = r#"
_finserve_quoted() {
    _clap_complete_finserve "$@"
    local at
    case "${COMP_WORDS[COMP_CWORD]}" in
        \"* | \'*) ;;
        *)
            for at in "${!COMPREPLY[@]}"; do
                [[ "${COMPREPLY[at]}" == *[[:space:]]* ]] && printf -v "COMPREPLY[at]" %q "${COMPREPLY[at]}"
            done
            ;;
    esac
    return 0
}
complete -o nospace -o bashdefault -F _finserve_quoted finserve
"#;

pub(crate) fn run(args: &cli::Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    let (shells, variable) = (Shells::builtins(), cli::COMPLETE_VARIABLE);
    let Some(shell) = shells.completer(&args.shell.to_string()) else {
        return Err(Failure::Message(format!("there are no completions for {}", args.shell)));
    };
    shell
        .write_registration(variable, "finserve", "finserve", "finserve", &mut script)
        .map_err(Failure::system("the completions cannot be written"))?;
    let quotes = if args.shell == Shell::Bash { BASH_QUOTES } else { "" };
    print(&(String::from_utf8_lossy(&script).into_owned() + quotes))
}
