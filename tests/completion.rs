//! What a shell is told may come next.
use std::{path::Path, process::Command};

use crate::harness::{Server, finserve};

/// The candidates for the last of these words, by the protocol of the scripts.
pub(crate) fn candidates(data: &Path, words: &[&str]) -> Vec<String> {
    let output = finserve(&["--", "finserve"])
        .args(words)
        .env("FINSERVE_COMPLETE", "bash")
        .env("_CLAP_COMPLETE_INDEX", words.len().to_string())
        .env("_CLAP_IFS", "\n")
        .env("FINSERVE_DATA", data)
        .output()
        .unwrap();
    assert!(output.status.success() && output.stderr.is_empty(), "{words:?}: {output:?}");
    String::from_utf8(output.stdout).unwrap().lines().map(str::to_owned).collect()
}

#[test]
fn series_categories_and_companies_are_known() {
    let data = Server::shared().data.path();
    for (words, wanted) in [
        (&["ge"][..], &["get"][..]),
        (&["get", "series", "igp"], &["igp-m", "igp-di"]),
        (&["calc", "correction", "--index", "IPC"], &["ipca"]),
        // Known, but there are no figures of it.
        (&["calc", "correction", "--index", "ipca-15"], &[]),
        (&["get", "series", "tr"], &[]),
        (&["calc", "convert", "--from", "us"], &["USD"]),
        (&["calc", "convert", "--to", "BR"], &["BRL"]),
        (&["calc", "convert", "--side", ""], &["buy", "sell"]),
        (&["calc", "convert", "--side", "B"], &["buy"]),
        (&["get", "filings", "--category", "fat"], &["Fato Relevante"]),
        (&["get", "filings", "--category", "DÍVIDA"], &[]),
        (&["get", "filings", "--company", "magalu"], &["MGLU3"]),
        (&["get", "companies", "magalu"], &["MAGAZINE LUIZA SA"]),
        (&["get", "market", "fx", "--pair", "eur"], &["EUR/BRL"]),
        (&["get", "market", "s"], &["selic"]),
        (&["keys", "create", "--plan", "g"], &["gold"]),
        (&["keys", "set-plan", "fin_abc", "p"], &["platinum"]),
        (&["export", "fi"], &["filings", "financials"]),
        (&["export", "igp"], &["igp-m", "igp-di"]),
        (&["get", "market", "selic", "--format", "n"], &["ndjson"]),
    ] {
        assert_eq!(candidates(data, words), wanted, "{words:?}");
    }
    // Others have such a name; those who trade under it come first.
    let found = candidates(data, &["get", "company", "petr"]);
    let (traded, others) = found.split_at(2);
    assert_eq!(traded, ["PETR3", "PETR4"]);
    assert!(
        !others.is_empty() && !others.iter().any(|other| other.starts_with("PETR")),
        "{found:?}"
    );
}

#[test]
fn without_data_there_are_no_companies_and_no_complaints() {
    let nothing = tempfile::tempdir().unwrap();
    let broken = tempfile::tempdir().unwrap();
    std::fs::write(broken.path().join("catalogue.db"), "no database").unwrap();
    for data in [nothing.path(), broken.path(), Path::new("/nowhere")] {
        for words in [
            &["get", "company", "petr"][..],
            &["get", "filings", "--category", "f"],
            &["calc", "convert", "--from", "B"],
        ] {
            assert_eq!(candidates(data, words), Vec::<String>::new(), "{words:?}");
        }
        assert_eq!(
            candidates(data, &["get", "series", "sav"]),
            ["savings", "savings-monthly", "savings-until-2012"]
        );
    }
    assert_eq!(nothing.path().read_dir().unwrap().count(), 0);
}

/// The script in a real shell, where there is one.
#[test]
fn bash_completes_with_the_script() {
    if Command::new("bash").arg("--version").output().is_err() {
        return;
    }
    let script = finserve(&["completions", "bash"]).output().unwrap();
    let script = String::from_utf8(script.stdout).unwrap();
    let ask = r#"
complete -p finserve >&2
try() {
    COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_TYPE=9 COMPREPLY=()
    _finserve_quoted finserve "${COMP_WORDS[COMP_CWORD]#[\"\']}" "${COMP_WORDS[COMP_CWORD - 1]}"
    (IFS='|'; echo "${COMPREPLY[*]}")
}
try finserve get series igp
try finserve get filings --company petr4
try finserve get filings --category fato
try finserve get filings --category 'fato\ rel'
try finserve get filings --category '"fato'
"#;
    let programs = Path::new(env!("CARGO_BIN_EXE_finserve")).parent().unwrap();
    let path = format!("{}:{}", programs.display(), std::env::var("PATH").unwrap());
    let output = Command::new("bash")
        .args(["-c", &(script + ask)])
        .env("PATH", path)
        .env("FINSERVE_DATA", Server::shared().data.path())
        .output()
        .unwrap();
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.ends_with("-F _finserve_quoted finserve\n"), "{said}");
    let wanted = "igp-m|igp-di\nPETR4\nFato\\ Relevante\nFato\\ Relevante\nFato Relevante\n";
    assert_eq!(String::from_utf8(output.stdout).unwrap(), wanted);
}
