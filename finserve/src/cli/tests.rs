use super::*;

#[test]
fn is_consistent() {
    Cli::command().debug_assert();
}

fn read(arguments: &[&str]) -> Result<Cli, clap::Error> {
    let arguments = ["finserve"].iter().chain(arguments);
    Cli::of(Cli::command().try_get_matches_from(arguments)?)
}

#[test]
fn the_data_directory_may_be_named_anywhere() {
    for arguments in [
        &["--data", "d", "keys", "list"][..],
        &["keys", "--data", "d", "list"],
        &["keys", "list", "--data", "d"],
        &["--data", "d"],
        &["serve", "--data", "d"],
    ] {
        assert_eq!(read(arguments).unwrap().data.to_str(), Some("d"), "{arguments:?}");
    }
}

#[test]
fn a_flag_of_the_server_before_another_command_is_refused() {
    for flag in serve::FLAGS {
        let flag = format!("--{}", flag.replace('_', "-"));
        let value = match &*flag {
            "--sync" | "--webhook-allow-private" | "--shared" | "--no-access-log" => None,
            "--trusted-proxy" => Some("::1"),
            "--listen" | "--admin" => Some("127.0.0.1:1"),
            "--base-path" => Some("/a"),
            "--contact" => Some("a@b.example"),
            "--limits" => Some("redis://a"),
            "--log" => Some("json"),
            "--log-level" => Some("warn"),
            "--only" => Some("fx"),
            "--since" => Some("2026-01-01"),
            address if address.ends_with("-url") => Some("http://a"),
            _ => Some("1"),
        };
        // A certificate and its key go together.
        let other = match &*flag {
            "--tls-cert" => &["--tls-key", "1"][..],
            "--tls-key" => &["--tls-cert", "1"],
            _ => &[],
        };
        let given = [&*flag].into_iter().chain(value).chain(other.iter().copied());
        let given: Vec<&str> = given.chain(["check"]).collect();
        let message = read(&given).unwrap_err().to_string();
        let flag = flag.replace("--tls-key", "--tls-cert");
        assert!(message.contains(&format!("{flag} is a flag of serve")), "{message}");
    }
    let serve = Serve::augment_args(clap::Command::new("serve"));
    let known: Vec<_> = serve.get_arguments().map(|argument| argument.get_id().as_str()).collect();
    assert_eq!(known, serve::FLAGS);
}

#[test]
fn nothing_prints_a_key_that_was_typed() {
    let key = fincore::Key::generate().unwrap();
    for arguments in [
        &["usage", key.reveal()][..],
        &["keys", "revoke", key.reveal()],
        &["keys", "set-plan", key.reveal(), "gold"],
    ] {
        let shown = format!("{:?}", read(arguments).unwrap());
        assert!(!shown.contains("fin_"), "{shown}");
    }
}

#[test]
fn serves_without_a_command() {
    let cli = read(&["--listen", "localhost:0"]).unwrap();
    assert!(cli.command.is_none());
    assert_eq!(cli.serve.listen, "localhost:0");
}

/// Each command and flag stands in the README's tables.
#[test]
fn the_readme_names_every_command_and_flag() {
    let mut root = Cli::command();
    root.build();
    named(&root, "finserve");
}

fn named(command: &clap::Command, name: &str) {
    let readme = include_str!("../../../README.md");
    assert!(command.has_subcommands() || readme.contains(&format!("`{name}")), "{name}");
    for argument in command.get_arguments().filter_map(|argument| argument.get_long()) {
        let skip = ["help", "version"].contains(&argument);
        assert!(skip || readme.contains(&format!("`--{argument}")), "{name} --{argument}");
    }
    for command in command.get_subcommands().filter(|command| command.get_name() != "help") {
        named(command, &format!("{name} {}", command.get_name()));
    }
}

#[test]
fn a_proxy_is_a_network_or_an_address() {
    let proxies = |list: &str| {
        let cli = read(&["--trusted-proxy", list]).ok()?;
        Some(cli.serve.proxies().iter().map(ToString::to_string).collect::<Vec<_>>())
    };
    assert_eq!(proxies("10.0.0.0/8"), Some(vec!["10.0.0.0/8".into()]));
    assert_eq!(proxies("::1,192.0.2.1"), Some(vec!["::1/128".into(), "192.0.2.1/32".into()]));
    assert_eq!(proxies(""), Some(vec![]));
    assert_eq!(proxies("example.com"), None);
    assert_eq!(proxies("10.0.0.0/33"), None);
}
