//! `finserve get --server`: the same answers, and the failures of servers in words.
use std::{
    io::{Read, Write},
    net::TcpListener,
    process::Output,
    thread,
};

use fincore::{Key, Plan};

use crate::{
    get::{QUESTIONS, get, printed},
    harness::{Server, finserve, new_key},
};

/// Asks a server with a key.
fn ask(address: &str, key: Option<&str>, arguments: &[&str]) -> Output {
    let mut command = finserve(&["get", "--server", &format!("http://{address}")]);
    command.args(arguments).env_remove("COLUMNS").env_remove("FINSERVE_KEY");
    // A data directory would not help.
    command.current_dir(tempfile::tempdir().unwrap().path().parent().unwrap());
    if let Some(key) = key {
        command.env("FINSERVE_KEY", key);
    }
    command.output().unwrap()
}

/// What a command that failed said, which is never the key.
#[track_caller]
fn refused(address: &str, key: Option<&str>, code: i32) -> String {
    let output = ask(address, key, &["filings"]);
    let said = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(code), "{said}");
    assert!(key.is_none_or(|key| !said.contains(key)), "{said}");
    said
}

#[test]
#[ignore = "long"]
fn a_server_gives_the_same_answers_as_its_data() {
    let server = Server::shared();
    let keys: Vec<Key> = (0..4).map(|_| new_key(&server.accounts(), Plan::Platinum)).collect();
    for (at, (arguments, _)) in QUESTIONS.iter().enumerate() {
        for format in ["json", "csv", "ndjson", "table"] {
            let arguments = [arguments, &["--format", format][..]].concat();
            let key = keys[at % keys.len()].reveal();
            let theirs = printed(ask(&server.address, Some(key), &arguments));
            assert_eq!(theirs, printed(get(&arguments)), "{arguments:?}");
        }
    }
    let arguments = ["companies", "--all"];
    let theirs = printed(ask(&server.address, Some(keys[0].reveal()), &arguments));
    assert_eq!(theirs, printed(get(&arguments)));
    // An empty list has its columns, which no row tells.
    let arguments = ["filings", "--category", "nobody"];
    let theirs = ask(&server.address, Some(keys[0].reveal()), &arguments);
    let ours = get(&arguments);
    assert_eq!((theirs.status.code(), &theirs.stdout), (Some(1), &ours.stdout));
    assert_eq!(String::from_utf8(theirs.stderr), String::from_utf8(ours.stderr));
    assert!(theirs.stdout.starts_with(b"id,company_id,"));
}

#[test]
fn the_key_may_stand_on_the_command_line_and_is_not_shown() {
    let server = Server::shared();
    let key = new_key(&server.accounts(), Plan::Gold);
    let arguments = ["filings", "--limit", "1", "--key", key.reveal()];
    let (rows, _) = printed(ask(&server.address, None, &arguments));
    assert_eq!(rows.lines().count(), 2);
    let help = finserve(&["get", "market", "--help"]).env("FINSERVE_KEY", key.reveal()).output();
    let help = String::from_utf8(help.unwrap().stdout).unwrap();
    assert!(help.contains("FINSERVE_KEY") && !help.contains(key.reveal()), "{help}");
}

#[test]
fn refusals_say_what_helps() {
    let server = Server::start();
    let said = refused(&server.address, None, 1);
    let plans = format!("the plans are at http://{}/pricing", server.address);
    assert!(said.contains("Filings need the Gold plan; this request is on Free; give a key with --key or FINSERVE_KEY"), "{said}");
    assert!(said.contains(&plans), "{said}");
    let free = new_key(&server.accounts(), Plan::Free);
    let said = refused(&server.address, Some(free.reveal()), 1);
    assert!(!said.contains("give a key") && said.contains(&plans), "{said}");
    let unknown = Key::generate().unwrap();
    let said = refused(&server.address, Some(unknown.reveal()), 1);
    assert!(
        said.contains("malformed, unknown or revoked")
            && said.contains("check --key or FINSERVE_KEY"),
        "{said}"
    );
    let said = refused(&server.address, Some("fin_mistyped"), 1);
    assert!(said.contains("the key is malformed: check --key or FINSERVE_KEY"), "{said}");
    let (last, rest) = (free.reveal().chars().last().unwrap(), &free.reveal()[..41]);
    let mistyped = format!("{rest}{}", if last == 'a' { 'b' } else { 'a' });
    let said = refused(&server.address, Some(&mistyped), 1);
    assert!(said.contains("the key is mistyped, by its checksum: copy it again"), "{said}");
    assert!(!said.contains(rest) && !said.contains("38 letters"), "{said}");
    // The limit of Free is used up.
    for _ in 0..30 {
        server.keyless("GET", "/api/v1/plans", &crate::harness::with(&free));
    }
    let said = refused(&server.address, Some(free.reveal()), 1);
    assert!(said.contains("rate limit exceeded") && said.contains("; retry in "), "{said}");
    let output = ask(&server.address, None, &["market", "selic", "--limit", "1", "--from", "x"]);
    assert_eq!(output.status.code(), Some(2));
}

/// A server that gives this answer once.
fn answering(answer: &str) -> String {
    answering_in_turn(vec![answer.to_owned()])
}

/// A server that gives these answers, each on a connection of its own.
fn answering_in_turn(answers: Vec<String>) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap().to_string();
    thread::spawn(move || {
        for (stream, answer) in listener.incoming().zip(answers) {
            let mut stream = stream.unwrap();
            let _ = stream.read(&mut [0; 4096]);
            let _ = stream.write_all(answer.as_bytes());
        }
    });
    address
}

/// A page of a list of 1,001 rows, or a refusal, as a server writes it.
fn answer(status: &str, body: &str) -> String {
    let length = body.len();
    format!("HTTP/1.1 {status}\r\nConnection: close\r\nContent-Length: {length}\r\n\r\n{body}")
}

#[test]
fn a_limit_in_the_middle_of_a_list_is_waited_for() {
    let rows = |rows: std::ops::Range<u32>| {
        let rows: Vec<String> = rows.map(|row| format!(r#"{{"category":"{row}"}}"#)).collect();
        let body = format!(r#"{{"data":[{}],"total":1001}}"#, rows.join(","));
        answer("200 OK", &body)
    };
    let limit = r#"{"error":"rate_limited","message":"rate limit exceeded","retry_after":0}"#;
    let limit = answer("429 Too Many Requests\r\nRetry-After: 0", limit);
    let pages = || vec![rows(0..1000), limit.clone(), limit.clone(), rows(1000..1001)];
    for format in ["csv", "ndjson", "json"] {
        let arguments = ["categories", "--all", "--format", format];
        let (shown, said) = printed(ask(&answering_in_turn(pages()), None, &arguments));
        assert_eq!(said, "", "{format}");
        let whole = match format {
            "csv" => shown.lines().count() == 1002 && shown.ends_with("\n999\n1000\n"),
            "ndjson" => {
                shown.lines().count() == 1001 && shown.ends_with("{\"category\":\"1000\"}\n")
            }
            _ => shown.contains("{\"category\":\"999\"},{\"category\":\"1000\"}]"),
        };
        assert!(whole, "{format}: {} bytes", shown.len());
    }
    // Nobody who has nothing yet is kept waiting, nor for long.
    let output = ask(&answering_in_turn(vec![limit.clone()]), None, &["categories", "--all"]);
    assert_eq!(output.status.code(), Some(1));
    let long = limit.replace("Retry-After: 0", "Retry-After: 3600");
    let output = ask(&answering_in_turn(vec![rows(0..1000), long]), None, &["categories", "--all"]);
    assert_eq!(output.status.code(), Some(1));
    let said = String::from_utf8(output.stderr).unwrap();
    assert!(said.contains("rate limit exceeded"), "{said}");
    // Columns that change would make a table that nobody can read.
    let other = rows(1000..1001).replace("category", "kategory");
    let output =
        ask(&answering_in_turn(vec![rows(0..1000), other]), None, &["categories", "--all"]);
    assert_eq!(output.status.code(), Some(1));
}

#[test]
fn servers_that_are_none_of_ours_are_no_riddle() {
    let key = Key::generate().unwrap();
    let key = Some(key.reveal());
    for (answer, message) in [
        (
            "HTTP/1.1 302 Found\r\nLocation: https://elsewhere.example/\r\nContent-Length: 0\r\n\r\n",
            "has moved to https://elsewhere.example/: give that address with --server",
        ),
        (
            "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 4\r\n\r\noops",
            "answers 502, and not as finserve does: is the address right?",
        ),
        ("HTTP/1.1 200 OK\r\nContent-Length: 6\r\n\r\n<html>", "the answer cannot be read"),
        (
            "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 47\r\n\r\n\
             {\"error\":\"unavailable\",\"message\":\"a\\u001b[2Jb\"}",
            "a\\u{1b}[2Jb; try again in 7 s",
        ),
        ("", "is the address right?"),
    ] {
        let said = refused(&answering(answer), key, 1);
        assert!(said.contains(message), "{said}");
    }
    let closed = TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
    let said = refused(&closed, key, 1);
    assert!(said.contains("the server refuses connections; is the address right?"), "{said}");
}
