//! `finserve import` and the rest of the command line.
use std::{fs, path::PathBuf, process::Command};

use crate::harness::{Server, fill, filled, finserve, import};

/// A data directory with the bundled figures, and files written into it.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Place {
        let place = tempfile::tempdir().unwrap();
        fill(&place.path().join("data"));
        Place(place)
    }

    fn file(&self, name: &str, content: impl AsRef<[u8]>) -> PathBuf {
        let path = self.0.path().join(name);
        fs::write(&path, content).unwrap();
        path
    }

    /// Runs the import and gives its exit code, output and errors.
    fn import(&self, files: &[&PathBuf]) -> (Option<i32>, String, String) {
        let files: Vec<_> = files.iter().map(|path| path.as_path()).collect();
        let output = import(&self.0.path().join("data"), &files);
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    }

    /// Everything in the catalogue, as SQLite pages: an import that is refused changes none of them.
    fn catalogue(&self) -> Vec<u8> {
        fs::read(self.0.path().join("data/catalogue.db")).unwrap()
    }
}

#[test]
fn says_what_became_of_each_file() {
    let place = Place::new();
    let ipca = place.file(
        "bcdata.sgs.433.json",
        r#"[{"data":"01/01/1980","valor":"6.62"},{"data":"01/07/2026","valor":"9.99"},{"data":"01/09/2026","valor":"0.48"}]"#,
    );
    let (code, output, errors) = place.import(&[&ipca]);
    assert_eq!((code, errors.as_str()), (Some(0), ""));
    assert!(output.contains("SGS 433: 1 new, 1 changed, 1 unchanged\n"), "{output}");
    assert!(output.contains("1 file(s) imported"), "{output}");

    let (code, output, _) = place.import(&[&ipca]);
    assert_eq!(code, Some(0));
    assert!(output.contains("SGS 433: 0 new, 0 changed, 3 unchanged\n"), "{output}");
}

#[test]
fn one_bad_file_and_nothing_has_happened() {
    let place = Place::new();
    let good = place.file("bcdata.sgs.433.json", r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    place.import(&[&good]);
    let before = place.catalogue();

    let new = place.file("bcdata.sgs.432.json", r#"[{"data":"05/11/2026","valor":"13.75"}]"#);
    let wrong: [(&str, &[u8], &str); 12] = [
        ("empty.json", b"", "empty"),
        ("bcdata.sgs.12.json", b"<html><body>Service unavailable</body></html>", "HTML"),
        (
            "bcdata.sgs.12.json",
            b"[{\"data\":\"02/01/2024\",\"valor\":\"0.0437\"},{\"data\":\"03/0",
            "line 1",
        ),
        ("bcdata.sgs.12.json", b"[{\"data\":\"02/01/2024\",\"valor\":\"NaN\"}]", "line 1: \"NaN\""),
        (
            "bcdata.sgs.12.csv",
            b"\"data\";\"valor\"\n\"02/01/2024\";\"0,04\"\n\"31/02/2024\";\"0,04\"\n",
            "line 3: \"31/02/2024\"",
        ),
        ("bcdata.sgs.12.csv", b"\"data\";\"valor\"\n\"02/01/2024\";\"0,04\";\"1\"\n", "line 2"),
        ("bcdata.sgs.12.csv", b"\"data\";\"valor\"\n\"02/01/2024\";\"0,04", "line 2"),
        ("20260731.csv", b"31/07/2026;005;A;AFN;0,07721000;0,07746000;65,55000000\r\n", "line 1"),
        (
            "20260731.csv",
            b"31/07/2026;005;A;AFN;inf;0,07746000;65,55000000;65,75000000\r\n",
            "line 1: \"inf\"",
        ),
        ("CotacaoDolarPeriodo.json", b"{\"value\":[{\"cotacaoCompra\":NaN}]}", "line 1"),
        ("unknown.csv", b"a,b\n1,2\n", "unknown kind of file"),
        ("binary.csv", b"\xff\xfe\x00\x01", "not UTF-8"),
    ];
    for (name, content, reason) in wrong {
        let bad = place.file(name, content);
        let (code, output, errors) = place.import(&[&new, &bad]);
        assert_eq!((code, output.as_str()), (Some(1), ""), "{name}");
        assert!(errors.contains(name) && errors.contains(reason), "{errors} lacks {reason}");
        assert_eq!(errors.lines().count(), 1, "one sentence: {errors}");
        assert!(errors.contains("nothing was imported"), "{errors}");
        assert!(place.catalogue() == before, "{name} changed the data");
    }
    let missing = place.0.path().join("missing.json");
    let (code, _, errors) = place.import(&[&new, &missing]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("missing.json: cannot be read"), "{errors}");
    assert!(place.catalogue() == before);
    let (code, _, errors) = place.import(&[&place.0.path().to_owned()]);
    assert_eq!(code, Some(1));
    assert!(errors.contains("it is not a file"), "{errors}");
}

#[test]
fn an_output_that_cannot_be_written_is_said_in_one_sentence() {
    let place = Place::new();
    let ipca = place.file("bcdata.sgs.433.json", r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    let full = fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
    let data = place.0.path().join("data");
    let output =
        finserve(&["import", "--data"]).arg(&data).arg(&ipca).stdout(full).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.starts_with("finserve: cannot write to the standard output"), "{errors}");
}

#[test]
fn stops_gracefully_on_both_signals() {
    for signal in ["-INT", "-TERM"] {
        let mut server = Server::process(&[]);
        assert_eq!(server.get("/health").status, 200);
        assert!(
            Command::new("kill")
                .args([signal, &server.pid().to_string()])
                .status()
                .unwrap()
                .success()
        );
        assert!(server.wait().success(), "{signal}");
    }
}

#[test]
fn a_port_in_use_is_said_in_one_sentence() {
    let (server, data) = (Server::start(), filled());
    let output =
        finserve(&["--listen", &server.address, "--data"]).arg(data.path()).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    let said = format!("\"message\":\"cannot listen on {}", server.address);
    assert!(errors.contains(&said) && errors.lines().count() == 1, "{errors}");
}

#[test]
fn a_data_directory_that_cannot_be_is_said_in_one_sentence() {
    let place = Place(tempfile::tempdir().unwrap());
    let file = place.file("data", "a file where the directory should be");
    let output = finserve(&["--listen", "127.0.0.1:0", "--data"]).arg(&file).output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1));
    assert!(errors.contains("cannot create the data directory"), "{errors}");
}

#[test]
fn settings_come_from_the_environment_too() {
    let place = Place::new();
    let elsewhere = place.0.path().join("elsewhere");
    let import = |file: &PathBuf| {
        finserve(&["import"]).arg(file).env("FINSERVE_DATA", &elsewhere).output().unwrap()
    };
    assert_eq!(import(&place.0.path().join("nothing.json")).status.code(), Some(1));
    assert!(!elsewhere.exists(), "a mistyped name leaves nothing behind");
    let ipca = place.file("bcdata.sgs.433.json", r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    assert_eq!(import(&ipca).status.code(), Some(0));
    assert!(elsewhere.join("catalogue.db").exists());
    let wrong = finserve(&["serve"]).env("FINSERVE_LISTEN", "nowhere").output().unwrap();
    assert_eq!(wrong.status.code(), Some(2));
}
