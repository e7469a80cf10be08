use super::*;

#[test]
fn is_consistent() {
    Cli::command().debug_assert();
}

fn read(arguments: &[&str]) -> Result<Cli, clap::Error> {
    let arguments = ["finserve"].iter().chain(arguments);
    Cli::from_matches(Cli::command().try_get_matches_from(arguments)?)
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
    assert_eq!(cli.serve.socket.listen, "localhost:0");
}

/// `docs/cli.md` and the pages beside it are what the commands say of themselves. To write them anew: `UPDATE_DOCS=1 cargo
/// test -p finserve --lib cli`.
#[test]
fn the_guide_lists_every_command_and_flag() {
    let mut root = Cli::command();
    root.build();
    let opening =
        "its flags and environment variables, as `--help` does. It is made from the program.";
    let mut operating = format!(
        "# Commands and flags\n\nThis page lists every command of the operator with {opening} \
         [Keys and accounts](cli-accounts.md) has `keys`, `links`, `usage`, `webhooks` and `accounts`, \
         [queries](cli-queries.md) `get`, `export` and `mcp`, [calculations](cli-calc.md) `calc`.\n\nWithout a command, `finserve` serves, and takes the flags of \
         `finserve serve`. These flags work with every command:\n\n"
    );
    operating += &flags(root.get_arguments().filter(|argument| argument.is_global_set()));
    let mut querying = format!(
        "# Commands of queries\n\nThis page lists `finserve get`, `export` and `mcp` with {opening} \
         [Command line](command-line.md) shows how they are used.\n"
    );
    let mut of_accounts = format!(
        "# Commands of keys and accounts\n\nThis page lists `finserve keys`, `links`, `usage`, `webhooks` and `accounts` with \
         {opening} [Plans and limits](plans-and-limits.md#manage-keys-as-the-operator) and [links](links.md) show how they \
         are used.\n"
    );
    let mut calculating = format!(
        "# Commands of calculations\n\nThis page lists `finserve calc` with {opening} [Calculators](calculators.md) says what \
         they compute.\n"
    );
    for command in root.get_subcommands() {
        let page = match command.get_name() {
            "get" | "export" | "mcp" => &mut querying,
            "calc" => &mut calculating,
            "keys" | "links" | "usage" | "webhooks" | "accounts" => &mut of_accounts,
            _ => &mut operating,
        };
        list(page, command, "finserve");
    }
    let pages = [
        ("cli", operating),
        ("cli-accounts", of_accounts),
        ("cli-queries", querying),
        ("cli-calc", calculating),
    ];
    for (name, made) in pages {
        let path = format!("{}/../docs/{name}.md", env!("CARGO_MANIFEST_DIR"));
        if std::env::var_os("UPDATE_DOCS").is_some() {
            std::fs::write(&path, &made).unwrap();
        }
        let is_same = std::fs::read_to_string(path).unwrap() == made;
        assert!(is_same, "docs/{name}.md is old: UPDATE_DOCS=1 cargo test -p finserve --lib cli");
    }
}

/// A section for a command, and for each one below it.
fn list(page: &mut String, command: &clap::Command, parent: &str) {
    if command.is_hide_set() || command.get_name() == "help" {
        return;
    }
    let name = format!("{parent} {}", command.get_name());
    // Flags of several commands are listed where they are defined.
    let inherited =
        |argument: &clap::Arg| ["data", "accounts"].contains(&argument.get_id().as_str());
    let is_own = |argument: &&clap::Arg| {
        let is_shared = argument.is_global_set() && !command.has_subcommands();
        let is_help = ["help", "version"].contains(&argument.get_id().as_str());
        !inherited(argument) && !is_shared && !argument.is_hide_set() && !is_help
    };
    let own: Vec<_> = command.get_arguments().filter(is_own).collect();
    if !command.has_subcommands() || !own.is_empty() {
        let about = command.get_about().map(ToString::to_string).unwrap_or_default();
        *page += &format!("\n## {name}\n\n{about}.\n");
        if !own.is_empty() {
            *page += &format!("\n{}", flags(own.into_iter()));
        }
    }
    for below in command.get_subcommands() {
        list(page, below, &name);
    }
}

/// A table of these arguments.
fn flags<'a>(arguments: impl Iterator<Item = &'a clap::Arg>) -> String {
    let mut table = String::from("| argument | meaning |\n| --- | --- |\n");
    for argument in arguments {
        let values = argument.get_value_names().unwrap_or_default();
        let takes = argument.get_action().takes_values();
        let value =
            values.iter().filter(|_| takes).map(|name| format!(" {name}")).collect::<String>();
        let shown = match argument.get_long() {
            Some(long) => format!("`--{long}{value}`"),
            None => format!("`{}`", value.trim()),
        };
        let mut meaning = argument.get_help().map(ToString::to_string).unwrap_or_default();
        let possible: Vec<String> = argument
            .get_possible_values()
            .iter()
            .filter(|value| takes && !value.is_hide_set())
            .map(|value| format!("`{}`", value.get_name()))
            .collect();
        if !possible.is_empty() {
            let colon = if meaning.is_empty() { "" } else { ": " };
            meaning += &format!("{colon}{}", possible.join(", "));
        }
        let defaults = argument.get_default_values().iter().map(|value| value.to_string_lossy());
        let defaults: Vec<_> = defaults.filter(|value| takes && !value.is_empty()).collect();
        if !defaults.is_empty() {
            meaning += &format!("; default `{}`", defaults.join(" "));
        }
        if let Some(variable) = argument.get_env() {
            meaning += &format!("; `{}`", variable.to_string_lossy());
        }
        table += &format!("| {shown} | {} |\n", meaning.replace('|', "\\|"));
    }
    table
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
