//! `finserve publish` and `serve --catalogue-from`: real processes, a directory, an HTTP server and an object store.
use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::TcpStream,
    path::PathBuf,
    process::{Command, Output},
    thread,
    time::Duration,
};

use fincore::Plan;

use crate::{
    events::Listener,
    file_server::Files,
    harness::{Server, filled, finserve, import, new_key},
    sync::{self, today},
};

/// A data directory that is published from.
struct Origin {
    data: tempfile::TempDir,
}

impl Origin {
    fn new() -> Origin {
        Origin { data: filled() }
    }

    /// Imports the IPCA of a month, which makes a new data version.
    fn import(&self, month: u32, value: &str) {
        let file = self.data.path().join("bcdata.sgs.433.json");
        fs::write(&file, format!(r#"[{{"data":"01/{month:02}/2026","valor":"{value}"}}]"#))
            .unwrap();
        let imported = import(self.data.path(), &[&file]);
        assert!(imported.status.success(), "{}", text(&imported.stderr));
    }

    fn publish(&self, target: &str) -> Output {
        self.publish_with(target, &[])
    }

    fn publish_with(&self, target: &str, store: &[(&str, &str)]) -> Output {
        let mut command = finserve(&["publish", target, "--data"]);
        command.arg(self.data.path()).envs(store.iter().copied()).output().unwrap()
    }
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn succeeds(output: &Output) -> String {
    assert!(output.status.success(), "{}", text(&output.stderr));
    text(&output.stdout)
}

fn fails(output: &Output) -> String {
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stdout));
    text(&output.stderr)
}

fn follow(target: &str, arguments: &[&str]) -> Server {
    let arguments = [&["--catalogue-from", target], arguments].concat();
    Server::process_on(tempfile::tempdir().unwrap(), &arguments)
}

/// The newest IPCA that a server has, and the tag of the data.
fn served(server: &Server) -> (String, String) {
    let reply = server.get("/api/v1/market/ipca/current");
    assert_eq!(reply.status, 200, "{}", reply.text());
    let tag = reply.header("etag").unwrap().split('-').next().unwrap().to_owned();
    (reply.json()["value"].to_string(), tag)
}

fn wait_until(what: &str, happened: impl Fn() -> bool) {
    for _ in 0..3000 {
        if happened() {
            return;
        }
        thread::sleep(Duration::from_millis(20));
    }
    panic!("it has not happened: {what}");
}

fn log(server: &Server) -> String {
    fs::read_to_string(server.data.path().join("stderr.txt")).unwrap()
}

#[test]
#[ignore = "long"]
fn servers_follow_a_directory_with_the_same_tags_and_survive_without_it() {
    let (origin, place) = (Origin::new(), tempfile::tempdir().unwrap());
    let target = place.path().join("target");
    let name = target.to_str().unwrap();
    origin.import(10, "0.22");
    assert!(succeeds(&origin.publish(name)).contains("published, "));
    assert!(succeeds(&origin.publish(name)).contains("is already published"));
    let (one, other) = (follow(name, &[]), follow(name, &[]));
    assert_eq!(served(&one).0, "0.22");
    let exact = |server: &Server| {
        let reply = server.get("/api/v1/companies?limit=3");
        (reply.header("etag").unwrap().to_owned(), reply.body)
    };
    assert_eq!(exact(&one), exact(&other), "the same data under the same tags");
    origin.import(10, "0.23");
    succeeds(&origin.publish(name));
    for server in [&one, &other] {
        wait_until("a new version is served", || served(server).0 == "0.23");
    }
    assert_eq!(exact(&one), exact(&other));
    // A wrong file is said once, and nothing happens.
    origin.import(10, "0.24");
    succeeds(&origin.publish(name));
    let manifest = fs::read_to_string(target.join("manifest.json")).unwrap();
    wait_until("a third version is served", || served(&one).0 == "0.24");
    fs::write(target.join("manifest.json"), &manifest[..manifest.len() / 2]).unwrap();
    wait_until("it is said", || log(&one).contains("the manifest cannot be read"));
    thread::sleep(Duration::from_millis(2500));
    assert_eq!(log(&one).matches("the manifest cannot be read").count(), 1);
    assert_eq!(served(&one).0, "0.24");
    // Data that nobody would see is not imported.
    let said = fails(&import(one.data.path(), &[&origin.data.path().join("bcdata.sgs.433.json")]));
    assert!(said.contains("follow a published catalogue"), "{said}");
    // Other commands look at what is served.
    let looked = finserve(&["log", "--data"]).arg(one.data.path()).output().unwrap();
    assert!(succeeds(&looked).contains("ipca"), "{}", text(&looked.stdout));
    // Without the target a server starts again with what it has.
    fs::rename(&target, place.path().join("away")).unwrap();
    let data = taken_from(one);
    let again = Server::process_on(data, &["--catalogue-from", name]);
    assert_eq!(served(&again).0, "0.24");
    wait_until("it is said", || log(&again).contains("cannot be followed"));
    fs::rename(place.path().join("away"), &target).unwrap();
    fs::write(target.join("manifest.json"), manifest).unwrap();
    wait_until("it is over", || log(&again).contains("recovered"));
}

/// What a server leaves behind when it stops, as a disk is moved to another machine.
fn taken_from(mut server: Server) -> tempfile::TempDir {
    let stop = Command::new("kill").args(["-TERM", &server.pid().to_string()]).status().unwrap();
    assert!(stop.success() && server.wait().success());
    let (from, to) = (server.data.path().join("published"), tempfile::tempdir().unwrap());
    fs::create_dir(to.path().join("published")).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        fs::copy(entry.path(), to.path().join("published").join(entry.file_name())).unwrap();
    }
    to
}

#[test]
fn listeners_metrics_and_kept_answers_follow_a_switch() {
    let (origin, place) = (Origin::new(), tempfile::tempdir().unwrap());
    let name = place.path().to_str().unwrap();
    origin.import(9, "0.48");
    succeeds(&origin.publish(name));
    let server = follow(name, &["--admin", "127.0.0.1:0"]);
    let key = new_key(&server.accounts(), Plan::Platinum);
    let mut listener = Listener::start(&server, &key, "");
    listener.wait_for("id: ");
    // Kept answers are given up: each is asked for more than once.
    for _ in 0..3 {
        assert_eq!(served(&server).0, "0.48");
    }
    origin.import(10, "0.22");
    succeeds(&origin.publish(name));
    let read = listener.wait_for("2026-10-01");
    assert!(read.contains("event: rate.published\n"), "{read}");
    for _ in 0..3 {
        assert_eq!(served(&server).0, "0.22");
    }
    let line = log(&server).lines().find(|line| line.contains("\"started\"")).unwrap().to_owned();
    let started: serde_json::Value = serde_json::from_str(&line).unwrap();
    assert_eq!(started["catalogue_from"], name);
    let admin = started["admin"].as_str().unwrap().strip_prefix("http://").unwrap();
    let ask = |path: &str| {
        let mut stream = TcpStream::connect(admin).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        answer
    };
    wait_until("it is counted", || {
        ask("/metrics").contains("finserve_publications_total{outcome=\"followed\"} 1\n")
    });
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path().join("manifest.json")).unwrap()).unwrap();
    let metrics = ask("/metrics");
    assert!(metrics.contains(&format!("finserve_data_version {}\n", manifest["data_version"])));
    assert!(metrics.contains("finserve_file_bytes{file=\"published/catalogue-"), "{metrics}");
    assert!(ask("/ready").starts_with("HTTP/1.1 200"));
}

#[test]
fn a_server_waits_for_the_first_publication_and_says_so() {
    let (origin, place) = (Origin::new(), tempfile::tempdir().unwrap());
    let name = place.path().to_str().unwrap();
    let data = tempfile::tempdir().unwrap();
    let errors = data.path().join("errors.txt");
    let mut child = finserve(&["serve", "--listen", "127.0.0.1:0", "--admin", "127.0.0.1:0"])
        .args(["--catalogue-from", name, "--data"])
        .arg(data.path())
        .stdout(std::process::Stdio::piped())
        .stderr(fs::File::create(&errors).unwrap())
        .spawn()
        .unwrap();
    let said = || fs::read_to_string(&errors).unwrap();
    wait_until("it waits", || said().contains("nothing is published yet"));
    succeeds(&origin.publish(name));
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    assert!(line.contains("listens on http://"), "{line}");
    wait_until("it is ready", || said().contains("ready again: catalogue"));
    assert!(!data.path().join("catalogue.db").exists());
    child.kill().unwrap();
    child.wait().unwrap();
}

#[test]
fn commands_refuse_what_cannot_be_published_or_led() {
    let (origin, place) = (Origin::new(), tempfile::tempdir().unwrap());
    let name = place.path().to_str().unwrap();
    succeeds(&origin.publish(name));
    // All data directories of these tests are copies of one.
    let other = Origin::new();
    origin.import(10, "0.22");
    succeeds(&origin.publish(name));
    let said = fails(&other.publish(name));
    assert!(said.contains("--force publishes it anyway"), "{said}");
    let forced = finserve(&["publish", name, "--force", "--data"]).arg(other.data.path()).output();
    succeeds(&forced.unwrap());
    let said = fails(&origin.publish("https://example.org/data"));
    assert!(said.contains("can only be read"), "{said}");
    let said = fails(&origin.publish("s3://bucket/prefix"));
    let missing = if cfg!(feature = "cluster") { "AWS_ACCESS_KEY_ID" } else { "no support for s3" };
    assert!(said.contains(missing), "{said}");
    let said = fails(&origin.publish("ftp://user:secret@host/"));
    assert!(said.contains("a directory, s3://") && !said.contains("secret"), "{said}");
    let needed =
        if cfg!(feature = "cluster") { "--accounts postgres://" } else { "no support for s3" };
    for (target, fix) in [("s3://bucket/a", needed), ("http://127.0.0.1:1", "leave --sync out")] {
        let serve = finserve(&["serve", "--listen", "127.0.0.1:0", "--sync", "--catalogue-from"])
            .arg(target)
            .arg("--data")
            .arg(place.path().join("data"))
            .output()
            .unwrap();
        let said = fails(&serve);
        assert!(said.contains(fix), "{said}");
    }
}

#[test]
#[ignore = "long"]
fn a_server_follows_over_http_and_refuses_what_is_wrong() {
    let (origin, place, web) = (Origin::new(), tempfile::tempdir().unwrap(), Files::start(false));
    let name = place.path().to_str().unwrap();
    origin.import(10, "0.22");
    succeeds(&origin.publish(name));
    web.show(place.path());
    let server = follow(&web.url(), &[]);
    assert_eq!(served(&server).0, "0.22");
    let asked = |status: u16| {
        let state = web.state.lock().unwrap();
        state
            .asked
            .iter()
            .filter(|(_, path, was)| path.ends_with(".json") && *was == status)
            .count()
    };
    wait_until("unchanged manifests are not sent again", || asked(304) > 1);
    origin.import(10, "0.23");
    succeeds(&origin.publish(name));
    let manifest: serde_json::Value =
        serde_json::from_slice(&fs::read(place.path().join("manifest.json")).unwrap()).unwrap();
    let file = format!("/data/{}", manifest["file"].as_str().unwrap());
    // Half of the file, as if it were all of it.
    {
        let whole = fs::read(place.path().join(manifest["file"].as_str().unwrap())).unwrap();
        let half = whole[..whole.len() / 2].to_vec();
        web.state.lock().unwrap().instead.insert(file.clone(), half);
    }
    web.show(place.path());
    wait_until("it is said", || log(&server).contains("cannot be followed"));
    assert_eq!(served(&server).0, "0.22");
    web.state.lock().unwrap().instead.clear();
    wait_until("the whole file is served", || served(&server).0 == "0.23");
    web.state.lock().unwrap().files.clear();
    let data = taken_from(server);
    assert_eq!(served(&Server::process_on(data, &["--catalogue-from", &web.url()])).0, "0.23");
}

#[cfg(not(feature = "cluster"))]
#[test]
fn a_build_without_the_feature_names_the_build_that_has_it() {
    let data = tempfile::tempdir().unwrap();
    for (flag, address) in [
        ("--limits", "redis://:secret@127.0.0.1"),
        ("--accounts", "postgres://ana:secret@127.0.0.1/a"),
        ("--catalogue-from", "s3://bucket/prefix"),
    ] {
        let serve = finserve(&["serve", "--listen", "127.0.0.1:0", flag, address, "--data"])
            .arg(data.path().join("data"))
            .output()
            .unwrap();
        let said = fails(&serve);
        let fix = "build it with `cargo build --release --features cluster`";
        assert!(said.contains(fix) && !said.contains("secret"), "{said}");
    }
}

#[cfg(feature = "cluster")]
#[test]
fn a_catalogue_is_published_in_an_object_store_and_followed_from_there() {
    let (origin, store) = (Origin::new(), Files::start(true));
    let endpoint = format!("http://{}", store.address);
    let keys = [
        ("AWS_ENDPOINT_URL", endpoint.as_str()),
        ("AWS_ACCESS_KEY_ID", "key"),
        ("AWS_SECRET_ACCESS_KEY", "not to be seen"),
        ("AWS_REGION", "sa-east-1"),
    ];
    let target = "s3://bucket/some/where";
    let files = || -> Vec<String> { store.state.lock().unwrap().files.keys().cloned().collect() };
    for value in ["0.22", "0.23", "0.24"] {
        origin.import(10, value);
        let said = succeeds(&origin.publish_with(target, &keys));
        assert!(said.starts_with("s3://bucket/some/where/: data version "), "{said}");
    }
    let kept = files();
    assert_eq!(kept.len(), 3, "{kept:?}");
    assert!(kept.contains(&"/bucket/some/where/manifest.json".to_owned()), "{kept:?}");
    let data = tempfile::tempdir().unwrap();
    let errors = data.path().join("errors.txt");
    let mut child = finserve(&["serve", "--listen", "127.0.0.1:0", "--catalogue-from", target])
        .arg("--data")
        .arg(data.path())
        .envs(keys)
        .stdout(std::process::Stdio::piped())
        .stderr(fs::File::create(&errors).unwrap())
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    let published = data.path().join("published/manifest.json");
    assert!(line.contains("listens on") && published.exists(), "{line}");
    child.kill().unwrap();
    child.wait().unwrap();
    let said = fs::read_to_string(errors).unwrap();
    assert!(!said.contains("not to be seen") && !said.contains("X-Amz"), "{said}");
    // Wrong keys are refused by the store, and said without them.
    let wrong = [keys[0], ("AWS_ACCESS_KEY_ID", "other"), keys[2]];
    let said = fails(&origin.publish_with(target, &wrong));
    assert!(said.contains("the server answered 403") && !said.contains("X-Amz"), "{said}");
}

#[test]
#[ignore = "long"]
fn one_of_several_servers_synchronises_and_another_takes_over() {
    let (place, target) = (sync::Place::days_ago(0), tempfile::tempdir().unwrap());
    let name = target.path().to_str().unwrap();
    let flags = place.publisher.flags();
    let start = || {
        let flags = flags.iter().map(String::as_str);
        let more = ["--sync", "--retry-delay", "1", "--only", "selic"];
        follow(name, &flags.chain(more).collect::<Vec<_>>())
    };
    let (one, other) = (start(), start());
    let newest = today().to_string();
    let date = |server: &Server| server.get("/api/v1/market/selic/current").json()["date"].clone();
    for server in [&one, &other] {
        wait_until("both have the newest data", || date(server) == newest.as_str());
    }
    assert_eq!(served(&one), served(&other));
    let leads = |server: &Server| log(server).contains("this server synchronises");
    wait_until("one of them is elected", || leads(&one) != leads(&other));
    let (one, other) = if leads(&one) { (one, other) } else { (other, one) };
    wait_until("the other knows", || log(&other).contains("another server synchronises"));
    let manifest = || fs::read(target.path().join("manifest.json")).unwrap();
    let before = manifest();
    assert!(
        Command::new("kill").args(["-KILL", &one.pid().to_string()]).status().unwrap().success()
    );
    wait_until("another takes over", || leads(&other));
    // It goes on from what is published, which has nothing new.
    let working: PathBuf = other.data.path().join("published/sync.db");
    wait_until("it begins with what is published", || working.exists());
    thread::sleep(Duration::from_secs(2));
    assert_eq!(manifest(), before);
    assert!(!log(&other).contains("cannot be published"), "{}", log(&other));
    // By hand nobody publishes meanwhile.
    let said = fails(&Origin::new().publish(name));
    assert!(said.contains("another program is publishing there"), "{said}");
}
