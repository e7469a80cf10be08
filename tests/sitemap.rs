//! What search engines and those who show links are told.
use crate::harness::Server;

#[test]
fn the_sitemap_has_every_page_in_both_languages_under_the_address_it_was_asked_at() {
    let server = Server::start_with(&["--base-path", "/data"]);
    let robots = server.get("/data/robots.txt");
    assert_eq!(
        (robots.status, robots.header("content-type")),
        (200, Some("text/plain; charset=utf-8"))
    );
    assert!(robots.text().contains("Disallow: /data/api/\n"), "{}", robots.text());
    assert!(
        robots.text().ends_with("Sitemap: http://test/data/sitemap.xml\n"),
        "{}",
        robots.text()
    );
    let map = server.request("GET", "/data/sitemap.xml", "X-Forwarded-Proto: https\r\n");
    assert_eq!((map.status, map.header("content-type")), (200, Some("application/xml")));
    let text = map.text();
    assert!(text.starts_with("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<urlset "), "{text}");
    let addresses: Vec<&str> =
        text.split("<loc>").skip(1).map(|rest| rest.split("</loc>").next().unwrap()).collect();
    for path in ["/", "/companies", "/companies/4170", "/filings", "/pricing", "/docs"] {
        for wanted in [path.to_owned(), format!("{path}?lang=en"), format!("{path}?lang=pt")] {
            let wanted = format!("https://test/data{wanted}");
            assert!(addresses.contains(&wanted.as_str()), "{wanted}: {addresses:?}");
            // Each names all others.
            assert_eq!(text.matches(&format!("href=\"{wanted}\"/>")).count(), 3, "{wanted}");
        }
    }
    // Currencies with a few days are pages that nobody looks for.
    let pairs: Vec<&&str> = addresses.iter().filter(|of| of.contains("/fx/")).collect();
    let named = ["eur-brl", "gbp-brl", "usd-brl"];
    assert!(pairs.iter().all(|of| named.iter().any(|name| of.contains(name))), "{pairs:?}");
    assert_eq!(pairs.len(), 3 * named.len());
    // Of the many pages that differ in a name only, some.
    let tried = addresses.iter().enumerate().filter(|(at, _)| *at < 60 || at % 41 == 0);
    for (_, address) in tried {
        let target = address.strip_prefix("https://test").unwrap();
        assert_eq!(server.get(target).status, 200, "{address}");
        for hidden in ["/api/", "/sign-in", "/suggest", "/usage"] {
            assert!(!address.contains(hidden), "{address}");
        }
    }
    assert_eq!(text.matches("<url>").count(), text.matches("</url>").count());
    assert!(
        text.contains("<loc>https://test/data/market/ipca</loc><lastmod>20"),
        "no day of change"
    );
    assert_eq!(text.matches("<xhtml:link ").count(), 3 * addresses.len());
    // They are not counted.
    assert_eq!(
        server.keyless("GET", "/sitemap.xml", "").header("x-ratelimit-remaining"),
        Some("30")
    );
}

#[test]
fn a_strange_host_writes_nothing_into_them() {
    for path in ["/robots.txt", "/sitemap.xml"] {
        let request = format!("GET {path} HTTP/1.1\r\nHost: a\"><b>\r\nConnection: close\r\n\r\n");
        let reply = Server::shared().send(request.as_bytes());
        assert_eq!(reply.status, 400);
        assert!(!reply.text().contains("<b>"));
    }
}

#[test]
fn pages_tell_what_they_are() {
    for (path, title, locale) in [
        ("/pricing?lang=en", "Plans", "en_US"),
        ("/pricing?lang=pt", "Planos", "pt_BR"),
        ("/docs?lang=en", "API reference", "en_US"),
    ] {
        let page = Server::shared().get(path);
        for (name, content) in [
            ("type", "website"),
            ("title", title),
            ("url", &format!("http://test{path}")),
            ("locale", locale),
        ] {
            let tag = format!("<meta property=\"og:{name}\" content=\"{content}\">");
            assert!(page.text().contains(&tag), "{path}: no {tag}");
        }
        assert!(page.text().contains("property=\"og:description\""), "{path}");
    }
}

#[test]
fn every_page_has_an_absolute_address_both_languages_a_picture_and_a_description_of_its_own() {
    let server = Server::shared();
    let mut descriptions = std::collections::BTreeSet::new();
    let pages = [
        "/",
        "/market",
        "/market/ipca",
        "/market/fx/usd-brl",
        "/calc",
        "/calc/convert",
        "/companies",
        "/companies/9512",
        "/companies/9512/statements",
        "/companies/compare",
        "/companies/screen",
        "/filings",
        "/pricing",
        "/legal",
        "/usage",
        "/sign-in",
        "/docs",
        "/docs/guide",
        "/docs/guide/search",
    ];
    for path in pages {
        let page = server.get(&format!("{path}?lang=pt"));
        for (rel, address) in [
            ("canonical\"", format!("http://test{path}?lang=pt")),
            ("alternate\" hreflang=\"x-default\"", format!("http://test{path}")),
            ("alternate\" hreflang=\"en\"", format!("http://test{path}?lang=en")),
            ("alternate\" hreflang=\"pt-BR\"", format!("http://test{path}?lang=pt")),
        ] {
            let tag = format!("<link rel=\"{rel} href=\"{address}\">");
            assert!(page.text().contains(&tag), "{path}: no {tag}");
        }
        let after = |start: &str| {
            let (_, rest) =
                page.text().split_once(start).unwrap_or_else(|| panic!("{path}: {start}"));
            rest.split('"').next().unwrap().to_owned()
        };
        let picture = after("property=\"og:image\" content=\"http://test");
        let png = server.get(&picture);
        assert_eq!((png.status, png.header("content-type")), (200, Some("image/png")), "{picture}");
        let about = after("name=\"description\" content=\"");
        assert!(descriptions.insert(about.clone()), "{path}: {about} is another page's");
    }
    let company = server.get("/companies/9512?lang=en");
    let (_, title) = company.text().split_once("<title>").unwrap();
    assert!(title.split('<').next().unwrap().contains("PETR4"), "{title:.200}");
}

#[test]
fn pages_of_data_describe_it_to_search_engines() {
    for path in ["/market/ipca", "/market/fx/usd-brl", "/companies", "/filings"] {
        let page = Server::shared().get(&format!("{path}?lang=en"));
        let (_, rest) = page.text().split_once("<script type=\"application/ld+json\">").unwrap();
        let json = rest.split("</script>").next().unwrap();
        let described: serde_json::Value = serde_json::from_str(json).unwrap();
        assert_eq!(described["@type"], "Dataset", "{path}");
        assert_eq!(described["url"], format!("http://test{path}"));
        let data = described["distribution"]["contentUrl"].as_str().unwrap();
        let data = Server::shared().get(data.strip_prefix("http://test").unwrap());
        assert_eq!(data.status, 200, "{path}");
    }
}

#[test]
fn browsers_that_came_by_tls_keep_to_it_unless_on_this_machine() {
    let ask = |host: &str, proto: &str, path: &str| {
        let request = format!(
            "GET {path} HTTP/1.1\r\nHost: {host}\r\nX-Forwarded-Proto: {proto}\r\nConnection: close\r\n\r\n"
        );
        let reply = Server::shared().send(request.as_bytes());
        reply.header("strict-transport-security").map(str::to_owned)
    };
    for path in ["/", "/health", "/nowhere"] {
        assert_eq!(ask("a.example", "https", path).as_deref(), Some("max-age=31536000"), "{path}");
        assert_eq!(ask("a.example", "http", path), None);
        assert_eq!(ask("localhost:8443", "https", path), None);
    }
}

#[test]
fn a_page_after_the_last_says_so() {
    for (path, words) in
        [("/companies", "There is no such page"), ("/filings", "There is no such page")]
    {
        let page = Server::shared().get(&format!("{path}?page=999999&lang=en"));
        assert!(page.text().contains(words), "{path}");
        assert!(!page.text().contains("Page 999,999"), "{path}");
    }
}
