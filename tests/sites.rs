//! What pages of other sites may do in the browsers of our visitors.
use crate::harness::{Reply, Server};

/// A form, sent with these header lines.
fn post(server: &Server, target: &str, headers: &str, form: &str) -> Reply {
    let length = form.len();
    let request = format!(
        "POST {target} HTTP/1.1\r\nHost: fin.example:8443\r\nConnection: close\r\n\
         Content-Length: {length}\r\nContent-Type: application/x-www-form-urlencoded\r\n{headers}\r\n{form}"
    );
    server.send(request.as_bytes())
}

#[test]
fn a_form_is_answered_to_our_own_pages_only() {
    let server = Server::start();
    let foreign = [
        "Origin: https://evil.example\r\n",
        "Origin: https://fin.example.evil.example\r\n",
        "Origin: null\r\n",
        "Origin: \r\n",
        "Origin: \u{e9}\r\n",
        "Sec-Fetch-Site: cross-site\r\n",
        "Sec-Fetch-Site: same-site\r\nOrigin: https://fin.example\r\n",
        "Sec-Fetch-Site: cross-site\r\nReferer: https://fin.example/pricing\r\n",
        "Referer: https://evil.example/fin.example\r\n",
        "Referer: /pricing\r\n",
        "Origin: https://evil.example\r\nX-Forwarded-Host: evil.example\r\n",
        "Origin: https://evil.example\r\nReferer: https://fin.example/pricing\r\n",
    ];
    let form = "name=Ana&email=ana%40example.com";
    for headers in foreign {
        for (target, form) in [("/pricing", form), ("/usage", "key=fin_x")] {
            let refused = post(&server, target, headers, form);
            refused.expect_error(403, "other_site");
            assert_eq!(refused.header("access-control-allow-origin"), None, "{headers}");
        }
    }
    let own = [
        "",
        "Origin: https://fin.example:8443\r\n",
        "Origin: https://fin.example\r\n",
        "Origin: http://FIN.example:80\r\n",
        "Referer: https://fin.example:8443/pricing?lang=pt\r\n",
        "Sec-Fetch-Site: same-origin\r\nOrigin: null\r\n",
        // A proxy that does not pass on the host that its client asked for.
        "Sec-Fetch-Site: same-origin\r\nOrigin: https://public.example\r\n",
    ];
    for headers in own {
        let page = post(&server, "/pricing", headers, form);
        assert_eq!(page.status, 201, "{headers}: {}", page.text());
        assert_eq!(page.header("access-control-allow-origin"), None, "{headers}");
    }
    let registered = finserve_keys(&server);
    assert_eq!(registered, own.len(), "nobody else got a key");
}

/// How many keys are on Free; the harness has none there.
fn finserve_keys(server: &Server) -> usize {
    let list = crate::harness::finserve(&["keys", "list", "--data"])
        .arg(server.data.path())
        .output()
        .unwrap();
    String::from_utf8(list.stdout).unwrap().lines().filter(|line| line.contains("free")).count()
}

#[test]
fn scripts_of_other_sites_read_data_but_no_page() {
    let origin = "Origin: https://example.com\r\n";
    let granted = |method: &str, target: &str, headers: &str| {
        let reply = Server::shared().keyless(method, target, &format!("{origin}{headers}"));
        let rights = reply.headers.iter().filter(|(name, _)| name.starts_with("access-control-"));
        rights.map(|(name, _)| name.clone()).collect::<Vec<_>>()
    };
    let docs = Server::shared().get("/docs");
    let (_, file) = docs.text().split_once("\"/assets/").unwrap();
    let file = format!("/assets/{}", file.split('"').next().unwrap());
    for target in ["/", "/pricing", "/usage", "/docs", &file] {
        for method in ["GET", "HEAD", "OPTIONS"] {
            assert!(granted(method, target, "").is_empty(), "{method} {target}");
        }
    }
    assert!(granted("GET", "/nope", "Accept: text/html\r\n").is_empty());
    assert!(granted("POST", "/pricing", "Content-Length: 0\r\n").is_empty());
    let data =
        ["/health", "/api/v1/plans", "/api/v1/nope", "/docs/openapi.yaml", "/docs/openapi.json"];
    for target in data {
        let rights = granted("GET", target, "");
        assert_eq!(rights, ["access-control-allow-origin", "access-control-expose-headers"]);
    }
    assert_eq!(granted("OPTIONS", "/api/v1/plans", "").len(), 5);
}
