//! `finserve sync` when something goes wrong: at a publisher, with the data, or because another program is at work.
use std::{
    fs::{self, File},
    path::Path,
    process::{Child, Stdio},
};

use chrono::Utc;
use fincore::{Catalogue, filings, market};

use crate::{
    embedded_server::get,
    harness::finserve,
    published::Published,
    publisher::Fault,
    sync::{Place, Ran, today},
};

#[test]
fn one_failure_stops_no_other_publisher() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/cvm/", Fault::Status(500));
    place.publisher.break_down("/olinda/", Fault::Page);
    let ran = place.sync(&[]);
    assert_eq!(ran.code, Some(1));
    assert!(
        ran.errors.contains("datasets could not be brought up to date; the rest is up to date")
    );
    let line = |name: &str| {
        let start = format!("{name}: ");
        ran.output.lines().find(|line| line.starts_with(&start)).unwrap_or_default().to_owned()
    };
    assert!(line("selic").contains(" new"), "{}", ran.output);
    assert!(line("companies").contains("failed: registry of companies: "), "{}", ran.output);
    assert!(line("companies").contains(": the server answered 500"), "{}", ran.output);
    assert!(line("filings").contains("failed: "), "{}", ran.output);
    assert!(line("fx").contains(" new"), "{}", line("fx"));
    assert!(line("fx").contains("failed: Olinda, "), "{}", line("fx"));
    assert_eq!(place.went("selic").error, None);
    assert!(place.went("fx").error.unwrap().contains("HTML"));
    // A server that always fails is soon asked once for each file.
    let to_cvm =
        place.publisher.asked().iter().filter(|asked| asked.target.starts_with("/cvm/")).count();
    assert!(to_cvm <= 25, "{to_cvm}");
    place.publisher.recover();
    place.succeed(&[]);
    place.assert_complete(today());
}

#[test]
fn a_file_of_the_running_year_may_be_missing_for_a_while() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "filings"]);
    let before = place.seen();
    let file = |year: i32| format!("/ipe_cia_aberta_{year}.zip");
    place.publisher.break_down(&file(chrono::Datelike::year(&today())), Fault::Status(404));
    let output = place.succeed(&["--only", "filings"]);
    let note = "CVM does not have this file at present; what was imported from it is kept";
    let year = chrono::Datelike::year(&today());
    let told = format!("filings: nothing new\n  IPE of {year}: {note}\n");
    assert_eq!((output, place.seen()), (told, before));
    // The status names it, on a server that runs, too.
    let note = format!("IPE of {year}: {note}");
    assert_eq!(place.went("filings").notes, [&*note]);
    let arguments = ["--data", place.data.path().to_str().unwrap(), "--listen", "127.0.0.1:0"];
    let server = finserve::Server::start(arguments, finserve::Clock::system()).unwrap();
    let shown = || {
        ["/api/v1/status", "/status"]
            .map(|path| get(server.address(), path).text().contains(note.as_str()))
    };
    assert_eq!(shown(), [true; 2]);
    // Once the file is back, though it is the same, there is nothing to say.
    place.publisher.recover();
    assert_eq!(place.sync_here(&["--only", "filings"]).unwrap(), "filings: nothing new\n");
    assert_eq!(place.went("filings").notes, [""; 0]);
    assert_eq!(shown(), [false; 2]);
}

#[test]
fn a_failure_is_over_once_its_publisher_says_that_there_is_no_file() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/dfp_", Fault::Status(500));
    place.sync_here(&["--only", "filings"]).unwrap_err();
    assert!(place.went("filings.dfp").error.unwrap().contains("500"));
    place.publisher.recover();
    place.sync_here(&["--only", "filings"]).unwrap();
    let went = place.went("filings.dfp");
    assert_eq!((went.error, went.last_success), (None, None));
    assert!(went.last_attempt.is_some());
}

#[test]
fn both_sides_of_a_quote_may_be_revised_at_once() {
    let place = Place::days_ago(0);
    let revise = |buy: &str, sell: &str| {
        place.publisher.recover();
        for (series, price) in [(1, sell), (10813, buy)] {
            let body = format!(r#"[{{"data":"02/03/2026","valor":"{price}"}}]"#).into_bytes();
            place.publisher.break_down(&format!("sgs.{series}/"), Fault::Instead(body));
        }
        place.sync_here(&["--only", "fx"]).unwrap();
        let pair = "USD/BRL".parse().unwrap();
        let day = "2026-03-02".parse().ok();
        let history = market::FxHistory { pair, from: day, to: day, ..Default::default() };
        let quotes = market::fx(&place.snapshot(), history).unwrap().data;
        assert_eq!((&*quotes[0].buy.to_string(), &*quotes[0].sell.to_string()), (buy, sell));
        // Each side came with a file of its own, but none is missing any more.
        assert_eq!(place.went("fx").notes, [""; 0]);
    };
    revise("5.3000", "5.3006");
    // The new selling price is below the old buying price, and the other way round.
    revise("5.2000", "5.2006");
    revise("5.3000", "5.3006");
}

#[test]
fn an_answer_without_rows_is_no_failure() {
    let place = Place::days_ago(0);
    let nothing = |only: &str, target: &str, body: &str| {
        place.publisher.break_down(target, Fault::Instead(body.as_bytes().to_vec()));
        assert_eq!(place.succeed(&["--only", only]), format!("{only}: nothing new\n"));
        place.publisher.recover();
        assert_eq!(place.went(only).error, None);
    };
    nothing("selic", "sgs.432/", "[]");
    // The server plays the 404 of days without values by itself: it has no TR at all.
    nothing("tr", "sgs.432/", "");
    place.succeed(&["--only", "fx"]);
    nothing("fx", "CotacaoMoedaPeriodo", r#"{"@odata.context":"x","value":[]}"#);
}

#[test]
fn a_server_in_trouble_is_asked_again() {
    let place = Place::days_ago(0);
    for fault in [Fault::Status(500), Fault::Status(504), Fault::Limited("1"), Fault::Cut] {
        place.publisher.break_down_for("bcdata.sgs.432", fault, 1);
    }
    place.publisher.break_down("bcdata.sgs.432", Fault::Compressed);
    place.succeed(&["--only", "selic"]);
    let statuses: Vec<u16> = place.publisher.asked().iter().map(|asked| asked.status).collect();
    assert_eq!(statuses, [500, 504, 429, 200, 200]);

    // A time that is longer than there is.
    place.publisher.break_down("bcdata.sgs.433", Fault::Limited("3600"));
    let ran = place.sync(&["--only", "ipca", "--budget", "60"]);
    assert_eq!(ran.code, Some(1));
    let told = "429 (too many requests): it asks for a pause of 60 minutes, but --budget allows 60 seconds; it is asked \
                again by the next sync";
    assert!(ran.output.contains(told), "{}", ran.output);
    assert_eq!(place.publisher.asked().len(), 1);
    // And longer than any clock counts.
    for (time, words) in
        [("99999999", "1157 days"), ("18446744073709551615", "213503982334601 days")]
    {
        place.publisher.recover();
        place.publisher.break_down("bcdata.sgs.433", Fault::Limited(time));
        let ran = place.sync(&["--only", "ipca", "--budget", "20"]);
        assert_eq!(ran.code, Some(1), "{}", ran.errors);
        assert!(ran.output.contains(&format!("a pause of {words}")), "{}", ran.output);
    }
}

#[test]
fn pages_and_errors_with_status_200_pass() {
    let place = Place::days_ago(0);
    let empty = || Fault::Instead(Vec::new());
    for fault in [Fault::Page, empty(), Fault::Instead(br#"{"erro":{}}"#.to_vec())] {
        place.publisher.break_down_for("bcdata.sgs.432", fault, 1);
    }
    place.succeed(&["--only", "selic"]);
    assert_eq!(place.publisher.asked().len(), 4);
    // Where it lasts, it is told.
    place.publisher.break_down("bcdata.sgs.432", Fault::Page);
    let ran = place.sync(&["--only", "selic"]);
    let told = "the answer is an HTML page (Requisição inválida!) (5 tries)";
    assert!(ran.code == Some(1) && ran.output.contains(told), "{}", ran.output);
}

#[test]
fn windows_that_are_too_long_are_asked_for_in_halves() {
    let place = Place::days_ago(0);
    place.publisher.publish(|published| published.since = "2015-01-01".parse().unwrap());
    place.publisher.break_down("bcdata.sgs.7478", Fault::LongWindow(4));
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    let windows = |place: &Place| -> Vec<String> {
        let asked = place.publisher.asked();
        let dates = asked.iter().map(|asked| asked.target.split("dataInicial=").nth(1).unwrap());
        let mut windows: Vec<String> =
            dates.map(|dates| format!("{}-{}", &dates[6..10], &dates[27..31])).collect();
        windows.dedup();
        windows
    };
    let all =
        ["2015-2023", "2015-2018", "2019-2023", "2019-2020", "2021-2023", "2024-2025", "2026-2026"];
    assert_eq!(windows(&place), all);
    let years = market::holes(&place.snapshot(), market::Figures::Series(7478)).unwrap();
    assert!(years.is_empty(), "{years:?}");
    // Each half is remembered by itself, though the whole never came.
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    assert_eq!(windows(&place), ["2026-2026"]);
}

#[test]
fn a_window_that_came_in_part_is_asked_for_again() {
    let place = Place::days_ago(0);
    place.publisher.publish(|published| published.since = "2015-01-01".parse().unwrap());
    place.publisher.break_down_for("dataFinal=31/12/2023", Fault::FirstRows, 1);
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    let holes = || place.went("ipca-15").holes.unwrap();
    let spans: Vec<String> =
        holes().iter().map(|hole| format!("{} to {}", hole.from, hole.to)).collect();
    assert_eq!(spans, ["2019-07-01 to 2023-12-01"]);
    let checked = finserve(&["check", "--data"]).arg(place.data.path()).output().unwrap();
    let told = format!("figures are missing:\n  ipca-15: {}\n", spans[0]);
    assert!(String::from_utf8_lossy(&checked.stdout).contains(&told), "{checked:?}");
    place.publisher.asked();
    // A later run asks for the years with the hole, though it is not told to look back.
    place.succeed(&["--only", "ipca-15"]);
    let targets = |asked: Vec<crate::publisher::Asked>| -> Vec<String> {
        let dates = asked.iter().map(|asked| asked.target.split("dataInicial=").nth(1).unwrap());
        dates.map(|dates| dates[..10].to_owned()).collect()
    };
    assert_eq!(targets(place.publisher.asked()), ["01/01/2026", "01/01/2019"]);
    assert!(holes().is_empty());
    place.succeed(&["--only", "ipca-15"]);
    assert_eq!(targets(place.publisher.asked()), ["01/01/2026"]);
}

#[test]
fn a_window_without_values_is_asked_for_on_another_day_only() {
    let place = Place::days_ago(0);
    place.publisher.publish(|published| published.since = "2015-01-01".parse().unwrap());
    let none = Fault::Instead(br#"{"error":"Value(s) not found"}"#.to_vec());
    place.publisher.break_down("dataFinal=31/12/2023", none);
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    place.publisher.asked();
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    let asked = |place: &Place| {
        let asked = place.publisher.asked();
        asked.iter().filter(|asked| asked.target.contains("2023")).count()
    };
    assert_eq!(asked(&place), 0);
    // As if that had been yesterday.
    let file = rusqlite::Connection::open(place.data.path().join("catalogue.db")).unwrap();
    let yesterday = "UPDATE incomplete_window SET asked_on = '2026-10-01'";
    assert_eq!(file.execute(yesterday, []).unwrap(), 1);
    place.publisher.recover();
    place.succeed(&["--only", "ipca-15", "--since", "2015-01-01"]);
    assert_eq!(asked(&place), 1);
    assert!(place.went("ipca-15").holes.unwrap().is_empty());
}

#[test]
fn a_page_instead_of_a_bulletin_means_not_yet() {
    let place = Place::days_ago(0);
    place.publisher.break_down("/ptax/", Fault::Page);
    place.succeed(&["--only", "fx"]);
    assert_eq!(place.went("fx").error, None);
}

#[test]
fn the_program_has_a_name_that_can_be_changed() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "selic", "--user-agent", "curl/8.5.0"]);
    assert_eq!(place.publisher.asked()[0].agent, "curl/8.5.0");
    // No name, as environments often have it, means the default.
    place.succeed(&["--only", "selic", "--user-agent", ""]);
    let mut command = place.command(&["--only", "selic"]);
    assert!(command.env("FINSERVE_USER_AGENT", "").output().unwrap().status.success());
    let asked = place.publisher.asked();
    assert_eq!(asked.len(), 2);
    assert!(asked.iter().all(|asked| asked.agent.starts_with("finserve/")), "{asked:?}");
    for status in [403, 406] {
        place.publisher.break_down("bcdata.sgs.432", Fault::Status(status));
        let ran = place.sync(&["--only", "selic"]);
        assert!(ran.output.contains("give another with --user-agent"), "{}", ran.output);
        place.publisher.recover();
    }
}

#[test]
fn requests_to_one_publisher_keep_their_distance() {
    let place = Place::days_ago(0);
    let started = std::time::Instant::now();
    let mut command = finserve(&["sync", "--only", "cdi", "--pace", "100", "--data"]);
    command.arg(place.data.path()).args(place.publisher.flags());
    assert!(command.output().unwrap().status.success());
    let requests = place.publisher.asked().len();
    assert!(requests > 5, "{requests}");
    let least = std::time::Duration::from_millis(100) * (u32::try_from(requests).unwrap() - 1);
    assert!(started.elapsed() >= least, "{requests} requests in {:?}", started.elapsed());
}

#[test]
fn a_silent_server_is_given_up() {
    let place = Place::days_ago(0);
    let silent = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}", silent.local_addr().unwrap());
    let mut command =
        finserve(&["sync", "--only", "ipca", "--timeout", "1", "--sgs-url", &address, "--data"]);
    let output = command.arg(place.data.path()).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let (output, errors) = (String::from_utf8(output.stdout).unwrap(), output.stderr);
    assert!(output.starts_with("ipca: failed: SGS 433: 127.0.0.1:"), "{output}");
    assert!(output.ends_with(": the server did not answer in time (2 tries)\n"), "{output}");
    let errors = String::from_utf8(errors).unwrap();
    for way in ["use a mirror (--cvm-url", "a proxy (HTTPS_PROXY)", "import files by hand"] {
        assert!(errors.contains(way), "{errors}");
    }
}

#[test]
fn some_failures_do_not_keep_a_publisher_from_being_asked() {
    let place = Place::days_ago(0);
    for series in [432, 4389, 12, 433] {
        place.publisher.break_down(&format!("bcdata.sgs.{series}/"), Fault::Status(503));
    }
    let ran = place.sync(&["--only", "selic,cdi,ipca,igp-m"]);
    assert_eq!(ran.code, Some(1));
    let line = ran.output.lines().find(|line| line.starts_with("igp-m: ")).unwrap();
    assert!(line.ends_with(" new"), "{}", ran.output);
}

#[test]
fn a_bulletin_that_failed_is_asked_for_until_it_comes() {
    let place = Place::days_ago(0);
    let bulletins = |ran: &Ran| {
        let catalogue = Catalogue::open(place.data.path().join("catalogue.db")).unwrap();
        let snapshot = catalogue.snapshot(fincore::Date::MAX).unwrap();
        (ran.code, market::days_with_currencies(&snapshot, 100).unwrap().len())
    };
    // Over a month ago, so that it is not asked for anyway.
    place.publisher.break_down("fechamento/20261006", Fault::Status(500));
    let first = bulletins(&place.sync(&["--only", "fx", "--since", "2026-10-01"]));
    place.publisher.recover();
    let second = bulletins(&place.sync(&["--only", "fx"]));
    assert_eq!((first.0, second), (Some(1), (Some(0), first.1 + 1)));
}

#[test]
fn the_list_of_currencies_may_not_be_something_else() {
    let place = Place::days_ago(0);
    place.publisher.break_down("Moedas", Fault::Page);
    let ran = place.sync(&["--only", "fx"]);
    assert_eq!(ran.code, Some(1));
    assert!(ran.output.contains("list of currencies"), "{}", ran.output);
    assert!(place.went("fx").error.unwrap().contains("list of currencies"));
}

#[test]
#[ignore = "long"]
fn data_from_elsewhere_is_asked_for_again() {
    let place = Place::days_ago(0);
    place.succeed(&["--only", "filings"]);
    let newest = || filings::recent(&place.snapshot(), filings::Recent::default()).unwrap().data;
    let before = newest();
    // Another program changes what was downloaded, and a rebuild removes what cannot be read.
    let file = place.data.path().join("catalogue.db");
    let damage = "UPDATE filing SET version = -1 WHERE key = (SELECT MAX(key) FROM filing)";
    assert_eq!(rusqlite::Connection::open(file).unwrap().execute(damage, []).unwrap(), 1);
    let rebuilt = finserve(&["rebuild", "--data"]).arg(place.data.path()).output().unwrap();
    assert!(rebuilt.status.success(), "{rebuilt:?}");
    assert_ne!(newest(), before);
    place.succeed(&["--only", "filings"]);
    assert_eq!(newest(), before);
}

#[test]
fn two_never_run_at_once() {
    let place = Place::days_ago(0);
    let lock = File::create(place.data.path().join("sync.lock")).unwrap();
    lock.lock().unwrap();
    let errors = place.data.path().join("errors.txt");
    let file = File::create(&errors).unwrap();
    let mut waiting =
        place.command(&["--only", "selic"]).stdout(Stdio::null()).stderr(file).spawn().unwrap();
    wait_until(&mut waiting, || said(&errors).contains("another sync of this data is running"));
    assert!(place.publisher.asked().is_empty());
    drop(lock);
    assert!(waiting.wait().unwrap().success());
    assert_eq!(said(&errors).lines().count(), 1);
}

#[test]
fn waits_for_an_import_to_end() {
    let place = Place::days_ago(0);
    let catalogue = Catalogue::open(place.data.path().join("catalogue.db")).unwrap();
    let import = fincore::Import::begin(&catalogue, Utc::now()).unwrap();
    let mut waiting = place.command(&["--only", "selic"]).stdout(Stdio::null()).spawn().unwrap();
    wait_until(&mut waiting, || !place.publisher.asked().is_empty());
    assert!(waiting.try_wait().unwrap().is_none());
    drop(import);
    assert!(waiting.wait().unwrap().success());
}

fn said(path: &Path) -> String {
    fs::read_to_string(path).unwrap()
}

/// Waits until something has happened, which must be before the program ends.
fn wait_until(child: &mut Child, happened: impl Fn() -> bool) {
    while !happened() {
        assert!(child.try_wait().unwrap().is_none(), "it has ended");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

#[test]
fn without_a_network_one_line_says_why() {
    let place = Place::days_ago(0);
    // Nobody listens on port 1.
    let nowhere = "http://127.0.0.1:1";
    let flags = ["--sgs-url", "--olinda-url", "--ptax-url", "--bcb-url", "--cvm-url"];
    let mut command = finserve(&["sync", "--data"]);
    command.arg(place.data.path());
    flags.iter().for_each(|flag| {
        command.args([flag, nowhere]);
    });
    let output = command.output().unwrap();
    let errors = String::from_utf8(output.stderr).unwrap();
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert_eq!(String::from_utf8(output.stdout).unwrap(), "");
    assert_eq!(
        errors,
        "finserve: no publisher can be reached: the server refuses connections; CVM and the central bank drop requests from some clouds and countries: use a mirror (--cvm-url, --sgs-url, --olinda-url, --ptax-url, --bcb-url) or a proxy (HTTPS_PROXY), or import files by hand; see docs/keeping-data-fresh.md\n"
    );
    // The doctor finds one thing that is wrong, and what follows from it.
    let mut command = finserve(&["doctor", "--json", "--data"]);
    command.arg(place.data.path());
    flags.iter().for_each(|flag| {
        command.args([flag, nowhere]);
    });
    let report: serde_json::Value =
        serde_json::from_slice(&command.output().unwrap().stdout).unwrap();
    let of = |about: &str, verdict: &str| {
        let findings = report["findings"].as_array().unwrap().iter();
        findings.filter(|one| one["about"] == about && one["verdict"] == verdict).count()
    };
    assert_eq!((of("sources", "wrong"), of("data", "wrong"), of("data", "note")), (1, 0, 1));
}

#[test]
fn what_is_left_out_is_told_and_in_the_status() {
    let place = Place::days_ago(0);
    let registry = Published::until(today(), &place.catalogue()).registry();
    let bad =
        [&registry[..], b"33.000.167/0001-02;X;;;;;;ATIVO;;9512;", &[b';'; 36], b"\n"].concat();
    place.publisher.break_down("cad_cia_aberta.csv", Fault::Instead(bad));
    let output = place.succeed(&["--only", "companies"]);
    let told = "left out: 1 rows that cannot be read";
    assert!(output.contains(&format!("\n  registry of companies: {told}")), "{output}");
    let went = place.went("companies");
    assert_eq!(went.left_out, 1);
    assert!(went.notes[0].starts_with(&format!("cad_cia_aberta.csv: {told}")), "{:?}", went.notes);
    place.publisher.recover();
    place.succeed(&["--only", "companies"]);
    assert_eq!(place.went("companies").notes, [""; 0]);
}

#[test]
fn withdrawn_filings_are_removed_and_many_only_by_force() {
    let place = Place::days_ago(0);
    let year = chrono::Datelike::year(&today());
    let publish = |ids: &dyn Fn(&u32) -> bool| {
        let mut table = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\n".to_owned();
        for id in (5000..5100).filter(ids) {
            let row =
                format!("33.000.167/0001-01;PETROBRAS;9512;;Fato Relevante;;;;{year}-01-05;AP;;1");
            table += &format!("{row};https://cvm/?numProtocolo={id}&numSequencia=5\n");
        }
        let file = format!("ipe_cia_aberta_{year}.zip");
        place.publisher.recover();
        place.publisher.break_down(&file, Fault::Instead(table.into_bytes()));
    };
    let sync = |more: &[&str]| place.succeed(&[&["--only", "filings.ipe"], more].concat());
    let held = || filings::find(&place.snapshot(), "5007".parse().unwrap()).is_ok();
    publish(&|_| true);
    assert!(sync(&[]).contains("100 new"));
    publish(&|id| ![5001, 5002].contains(id));
    let output = sync(&[]);
    assert!(output.contains("2 removed") && output.contains("has withdrawn: 2"), "{output}");
    publish(&|id| ![5001, 5002, 5007, 5008].contains(id));
    let output = sync(&[]);
    assert!(output.contains("lacks 2 of 98 stored filings, which are kept"), "{output}");
    assert!(held() && place.went("filings.ipe").notes[0].contains("which are kept"));
    assert!(sync(&["--force"]).contains("2 removed"));
    assert!(!held());
}

#[test]
fn a_figure_that_was_published_too_early_goes_with_the_next_sync() {
    let place = Place::days_ago(0);
    let month = |months: u32| {
        let day = chrono::Datelike::with_day(&today(), 1).unwrap() + chrono::Months::new(months);
        format!(r#"{{"data":"{}","valor":"0.30"}}"#, day.format("%d/%m/%Y"))
    };
    let publish = |months: &[u32]| {
        let rows: Vec<String> = months.iter().map(|months| month(*months)).collect();
        let body = format!("[{}]", rows.join(",")).into_bytes();
        place.publisher.recover();
        place.publisher.break_down("bcdata.sgs.433/", Fault::Instead(body));
    };
    publish(&[0, 1]);
    place.succeed(&["--only", "ipca"]);
    publish(&[0]);
    let output = place.succeed(&["--only", "ipca"]);
    assert!(output.contains("1 removed"), "{output}");
    assert!(output.contains("figures that the source has withdrawn: 1"), "{output}");
}
