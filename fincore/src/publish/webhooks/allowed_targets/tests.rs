//! Addresses that may be called, and those that may not.
use super::*;

#[test]
fn only_addresses_of_the_public_internet_are_called() {
    let public = [
        "1.1.1.1",
        "8.8.8.8",
        "11.0.0.1",
        "100.63.255.255",
        "100.128.0.1",
        "126.255.255.255",
        "128.0.0.1",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.1",
        "192.0.1.1",
        "192.167.255.255",
        "192.169.0.1",
        "198.17.255.255",
        "198.20.0.1",
        "200.160.2.3",
        "203.0.112.1",
        "223.255.255.255",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2606:4700:4700::1111",
        "2804:14c::1",
        "3ffe::1",
        "3fff:1000::1",
        "::ffff:8.8.8.8",
    ];
    let private = [
        "0.0.0.0",
        "0.1.2.3",
        "10.0.0.1",
        "10.255.255.255",
        "100.64.0.1",
        "100.127.255.255",
        "127.0.0.1",
        "127.255.255.255",
        "169.254.0.1",
        "169.254.169.254",
        "172.16.0.1",
        "172.31.255.255",
        "192.0.0.1",
        "192.0.0.170",
        "192.0.2.1",
        "192.88.99.1",
        "192.168.0.1",
        "192.168.255.255",
        "198.18.0.1",
        "198.19.255.255",
        "198.51.100.1",
        "203.0.113.1",
        "224.0.0.1",
        "239.255.255.255",
        "240.0.0.1",
        "255.255.255.255",
        "::",
        "::1",
        "::127.0.0.1",
        "::8.8.8.8",
        "::ffff:0:8.8.8.8",
        "::ffff:10.0.0.1",
        "::ffff:127.0.0.1",
        "::ffff:169.254.169.254",
        "64:ff9b::7f00:1",
        "64:ff9b::808:808",
        "64:ff9b:1::1",
        "100::1",
        "1fff:ffff::1",
        "2001::1",
        "2001:0:4136:e378:8000:63bf:3fff:fdd2",
        "2001:2::1",
        "2001:10::1",
        "2001:1ff::1",
        "2001:db8::1",
        "2002:7f00:1::1",
        "2002:808:808::1",
        "3fff::1",
        "3fff:fff::1",
        "4000::1",
        "5f00::1",
        "fc00::1",
        "fd00:ec2::254",
        "fdff::1",
        "fe80::1",
        "febf::1",
        "fec0::1",
        "ff02::1",
        "ffff::1",
    ];
    for (addresses, wanted) in [(&public[..], true), (&private[..], false)] {
        for text in addresses {
            let address = text.parse().unwrap();
            assert_eq!(Targets::Public.allow(address), wanted, "{text}");
            assert!(Targets::Any.allow(address));
        }
    }
}

#[test]
fn takes_addresses_in_their_normal_form() {
    let cases = [
        ("https://example.com", "https://example.com/", "example.com:443"),
        ("HTTPS://Example.COM:8443/a?b=c", "https://example.com:8443/a?b=c", "example.com:8443"),
        ("https://8.8.8.8/x", "https://8.8.8.8/x", "8.8.8.8:443"),
        ("https://134744072/x", "https://8.8.8.8/x", "8.8.8.8:443"),
        ("https://[2606:4700::1111]/", "https://[2606:4700::1111]/", "[2606:4700::1111]:443"),
        (
            "https://são-paulo.example.br/",
            "https://xn--so-paulo-rza.example.br/",
            "xn--so-paulo-rza.example.br:443",
        ),
        ("https://locals.example/", "https://locals.example/", "locals.example:443"),
    ];
    for (given, normal, called) in cases {
        let url = Targets::Public.parse(given).unwrap();
        assert_eq!((url.as_str(), &*host(url.as_str())), (normal, called));
    }
    for given in ["http://127.0.0.1:9000/x", "http://localhost:1/", "https://[::1]/", "http://hook"]
    {
        assert!(Targets::Any.parse(given).is_ok(), "{given}");
    }
}

#[test]
fn only_ports_of_web_servers_and_free_ones_are_called() {
    let with = Targets::PublicAndPorts([80, 9, 1023, 8443, 65535].into_iter().collect());
    let url = |port: u16| format!("https://example.com:{port}/hook");
    for (port, by_default, with_flags) in [
        (443, true, true),
        (8443, true, true),
        (1024, true, true),
        (65535, true, true),
        (1, false, false),
        (22, false, false),
        (25, false, false),
        (73, false, false),
        (444, false, false),
        (9, false, true),
        (80, false, true),
        (1023, false, true),
    ] {
        for (targets, is_called) in
            [(Targets::Public, by_default), (with, with_flags), (Targets::Any, true)]
        {
            assert_eq!(targets.parse(&url(port)).is_ok(), is_called, "{port} {targets:?}");
            assert_eq!(targets.check_address(&url(port)).is_ok(), is_called, "{port} {targets:?}");
        }
    }
    assert!(with.parse("http://example.com/").is_err() && with.parse("https://10.0.0.1/").is_err());
    let message = Targets::Public.parse(&url(22)).unwrap_err().to_string();
    assert_eq!(message, "webhooks do not call port 22; use 443, 8443 or a port above 1023");
}

#[test]
fn an_address_has_no_secret_of_ours_in_it() {
    let key = Key::generate().unwrap();
    let body = &key.reveal()[4..];
    for mark in ["fin_", "finl_", "fis_", "whsec_", "fin%5F", "%66in_", "%66%69%6e%5f", "fin%255F"]
    {
        let secret = format!("{mark}{body}");
        for url in [
            format!("https://example.com/?k={secret}"),
            format!("https://example.com/{secret}/hook"),
            format!("https://{secret}.example.com/"),
            format!("https://{secret}@example.com/"),
            format!("https://example.com/#{secret}"),
            secret.clone(),
        ] {
            for targets in [Targets::Public, Targets::Any] {
                let message = targets.parse(&url).unwrap_err().to_string();
                assert!(message.contains("its receiver would learn it"), "{url}: {message}");
                assert!(targets.check_address(&url).is_err(), "{url}");
                assert!(!shown(&url).contains(body), "{url}");
            }
        }
    }
    for url in ["https://example.com/fin_hook?whsec_=1", "https://fin_tech.example.com/"] {
        assert!(Targets::Public.parse(url).is_ok() && shown(url) == url, "{url}");
    }
}

#[test]
fn refuses_what_may_not_be_called() {
    let long = format!("https://example.com/{}", "x".repeat(2048));
    let refused = [
        "",
        "example.com",
        "//example.com",
        "http://example.com/",
        "ftp://example.com/",
        "file:///etc/passwd",
        "javascript:alert(1)",
        "https://",
        "https://user@example.com/",
        "https://user:password@example.com/",
        "https://:password@example.com/",
        "https://example.com/#part",
        "https://localhost/",
        "https://LOCALHOST./",
        "https://a.localhost/",
        "https://printer.local/",
        "https://metadata.google.internal/",
        "https://localhost.localdomain/",
        "https://ip6-localhost/",
        "https://ip6-loopback/",
        "https://intranet/",
        "https://router.home.arpa/",
        "https://127.0.0.1/",
        "https://127.1/",
        "https://127.0.1/",
        "https://0x7f.1/",
        "https://0x7f000001/",
        "https://2130706433/",
        "https://0177.0.0.1/",
        "https://017700000001/",
        "https://１２７.0.0.1/",
        "https://127。0。0。1/",
        "https://127.0.0.1./",
        "https://0/",
        "https://10.0.0.1:8443/",
        "https://169.254.169.254/latest/meta-data/",
        "https://0xa9fea9fe/",
        "https://[::1]/",
        "https://[::]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:7f00:1]/",
        "https://[fe80::1]/",
        "https://[fd00::1]/",
        "https://[64:ff9b::7f00:1]/",
        "https://example.com:99999/",
        &long,
    ];
    for given in refused {
        assert!(matches!(Targets::Public.parse(given), Err(Error::Invalid(_))), "{given}");
    }
    for given in
        ["ftp://example.com/", "https://user@example.com/", "https://example.com/#a", &long]
    {
        assert!(Targets::Any.parse(given).is_err(), "{given}");
    }
    let message = Targets::Public.parse("https://u:hunter2@example.com/").unwrap_err().to_string();
    assert!(!message.contains("hunter2"), "{message}");
}
