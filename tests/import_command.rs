//! `finserve import` as a command: the standard input, names of files, and two at once.
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    process::{Command, Stdio},
    thread,
    time::Duration,
};

use crate::{
    harness::{filled, finserve, import},
    import_published::Place,
};

#[test]
fn the_standard_input_is_a_file_with_a_name() {
    let place = Place::new();
    let run = |arguments: &[&str]| {
        let mut child = finserve(&["import", "--data"])
            .arg(place.data())
            .args(arguments)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // A program that refuses its arguments does not read.
        let _ = child.stdin.take().unwrap().write_all(br#"[{"data":"01/09/2026","valor":"0.48"}]"#);
        let output = child.wait_with_output().unwrap();
        let text = |bytes| String::from_utf8(bytes).unwrap();
        (output.status.code(), text(output.stdout), text(output.stderr))
    };
    let (code, _, errors) = run(&["-"]);
    assert!(code != Some(0) && errors.contains("--name"), "{errors}");
    let (code, _, errors) = run(&["--name", "a.json", "a.json"]);
    assert!(code != Some(0) && errors.contains("--name"), "{errors}");
    let (code, _, errors) = run(&["-", "-", "--name", "a.json"]);
    assert!(code != Some(0) && errors.contains("once"), "{errors}");
    let (code, output, errors) = run(&["-", "--name", "bcdata.sgs.433.json"]);
    assert_eq!((code, &*errors), (Some(0), ""));
    assert!(output.starts_with("bcdata.sgs.433.json: SGS 433: 1 new"), "{output}");
}

#[test]
fn no_control_character_of_a_name_reaches_the_terminal() {
    let place = Place::new();
    let name = "bcdata.sgs.433.\u{1b}]0;x\u{7}\n.json";
    let report = place.accept(name, r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    assert!(
        !report.contains(['\u{1b}', '\u{7}']) && report.contains("\\u{1b}]0;x\\u{7}\\n"),
        "{report}"
    );
    let message = place.refuse(name, "[");
    assert!(!message.contains(['\u{1b}', '\u{7}']), "{message}");
    let missing = import(&place.data(), &[&place.0.path().join("\u{1b}[2J.json")]);
    assert!(!missing.stderr.contains(&0x1b));
}

#[test]
fn a_second_import_waits_and_says_so() {
    let place = Place::new();
    place.accept("bcdata.sgs.433.json", r#"[{"data":"01/09/2026","valor":"0.48"}]"#);
    let catalogue = fincore::Catalogue::open(place.data().join("catalogue.db")).unwrap();
    let first = fincore::Import::begin(&catalogue, fincore::chrono::Utc::now()).unwrap();
    let file = place.file("bcdata.sgs.433.json", r#"[{"data":"01/10/2026","valor":"0.31"}]"#);
    let mut second = finserve(&["import", "--data"])
        .arg(place.data())
        .arg(file)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut errors = BufReader::new(second.stderr.take().unwrap());
    let mut said = String::new();
    errors.read_line(&mut said).unwrap();
    assert_eq!(said, "finserve: another import is running; waiting for it to end\n");
    drop(first);
    let output = second.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(0));
    assert!(String::from_utf8(output.stdout).unwrap().contains("SGS 433: 1 new"));
    let mut more = String::new();
    errors.read_to_string(&mut more).unwrap();
    assert_eq!(more, "", "it says so once");
}

#[cfg(target_os = "linux")]
#[test]
fn an_import_that_is_interrupted_says_that_nothing_changed() {
    let data = filled();
    let mut import = finserve(&["import", "-", "--name", "bcdata.sgs.433.json", "--data"])
        .arg(data.path())
        .stdin(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It waits for the rest of its input, which waiting for its end would close. The system knows which signals it handles.
    let _input = import.stdin.take().unwrap();
    let handles_interrupt = || {
        let status = fs::read_to_string(format!("/proc/{}/status", import.id())).unwrap();
        let handled = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
        u64::from_str_radix(handled.trim(), 16).unwrap() & 0b10 != 0
    };
    while !handles_interrupt() {
        thread::sleep(Duration::from_millis(10));
    }
    let sent = Command::new("kill").args(["-INT", &import.id().to_string()]).status().unwrap();
    assert!(sent.success());
    assert_eq!(import.wait().unwrap().code(), Some(130));
    let mut said = String::new();
    import.stderr.take().unwrap().read_to_string(&mut said).unwrap();
    assert_eq!(said, "\nstopped; nothing was changed\n");
}
