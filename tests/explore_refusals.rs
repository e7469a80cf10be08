//! What pages say to people who make a mistake: in the language of the page, and in words that help them there.
use crate::harness::{Reply, Server};

/// Words that are for programs.
const FOR_PROGRAMS: [&str; 4] = ["GET /", "/api/", "endpoint", "parameter"];

/// Everyday mistakes: the address, and what the page says about it in Portuguese and in English.
const MISTAKES: &[(&str, &str, &str)] = &[
    // Histories.
    (
        "/market/ipca?from=soon",
        "\"soon\" não é uma data (AAAA-MM-DD, como 2025-12-31).",
        "\"soon\" is not a date (YYYY-MM-DD, such as 2025-12-31).",
    ),
    (
        "/market/ipca?from=2026-02-01&to=2026-01-01",
        "A data inicial (01/02/2026) é posterior à final (01/01/2026)",
        "The first day (1 Feb 2026) is after the last one (1 Jan 2026)",
    ),
    (
        "/market/ipca?range=7y",
        "\"7y\" não é um período (3m, 12m,",
        "\"7y\" is not a range (3m, 12m,",
    ),
    (
        "/market/nope",
        "Não há série \"nope\"; Mercado mostra todas as séries.",
        "There is no series \"nope\"; Market lists all series.",
    ),
    (
        "/market/999999",
        "Ainda não há valores da série 999999; Mercado mostra",
        "There are no values of the series 999999 yet; Market shows",
    ),
    (
        "/market/!!",
        "Não há nada neste endereço: \"!!\" não é uma série (o número dela no SGS, ou um nome como igp-m).",
        "There is nothing at this address: \"!!\" is not a series",
    ),
    (
        "/market/fx/xyz-brl",
        "Não há cotações para XYZ/BRL; Mercado mostra as moedas que têm.",
        "There are no quotes for XYZ/BRL; Market shows the currencies that have some.",
    ),
    (
        "/market/fx/us",
        "\"us\" não é um par de moedas (EUR/BRL, EURBRL ou eur-brl).",
        "\"us\" is not a currency pair",
    ),
    (
        "/market/ipca?lang=fr",
        "\"fr\" não é um idioma das páginas (en ou pt).",
        "\"fr\" is not a language of the pages (en or pt).",
    ),
    (
        "/market/ipca?to=2020-01-01&to=2020-01-02",
        "\"to\" está duas vezes no endereço.",
        "\"to\" is in the address twice.",
    ),
    (
        "/market/ipca?from=100%",
        "\"100%\" no endereço tem um % que não é seguido de dois dígitos hexadecimais.",
        "\"100%\" in the address has a %",
    ),
    // Companies and filings.
    (
        "/companies?q=!!",
        "\"!!\" não é um texto com pelo menos uma letra ou um dígito.",
        "\"!!\" is not a text with at least one letter or digit.",
    ),
    ("/companies?q={words}", "não é um texto de no máximo ", "is not a text of at most "),
    ("/filings?q={long}", " caracteres.", " characters."),
    ("/companies?page=0", "\"0\" não é uma página (de 1 a ", "\"0\" is not a page (1 to "),
    (
        "/companies/999999",
        "Não há companhia \"999999\"; procure",
        "There is no company \"999999\"; look",
    ),
    (
        "/companies/!!",
        "\"!!\" não é uma companhia (um código CVM, um CNPJ ou um código de negociação).",
        "\"!!\" is not a company (a CVM code, a CNPJ or a ticker).",
    ),
    ("/filings?company=!!", "\"!!\" não é uma companhia", "\"!!\" is not a company"),
    ("/filings?from=31.12.2025", "\"31.12.2025\" não é uma data", "\"31.12.2025\" is not a date"),
    (
        "/filings?from=2026-02-01&to=2026-01-01",
        "A data inicial (01/02/2026)",
        "The first day (1 Feb 2026)",
    ),
    ("/filings?page=x", "\"x\" não é uma página", "\"x\" is not a page"),
    ("/filings?q=a&order=best", "\"best\" não é uma ordem", "\"best\" is not an order"),
    (
        "/filings/999999999",
        "Não há documento \"999999999\"; procure",
        "There is no filing \"999999999\"; look",
    ),
    (
        "/filings/!!",
        "\"!!\" não é a identificação de um documento (um número de protocolo, ou uma como dfp-144874).",
        "\"!!\" is not the id of a filing",
    ),
    // Calculators: what is typed.
    (
        "/calc/correction?amount=abc&index=ipca&from=2020-01",
        "\"abc\" não é um valor (como 1000,50, com no máximo 18 dígitos).",
        "\"abc\" is not an amount (such as 1000.50, at most 18 digits).",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2020-01&percent=0",
        "\"0\" não é um percentual do índice (maior que 0, no máximo 1000).",
        "\"0\" is not a percentage of the index (more than 0, at most 1000).",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2020-01&percent=2.000,5",
        "\"2.000,5\" não é um percentual do índice (maior que 0, no máximo 1000).",
        "\"2.000,5\" is not a percentage of the index (more than 0, at most 1000).",
    ),
    (
        "/calc/real-rate?from=2025-01&percent=1001",
        "\"1001\" não é um percentual do índice (maior que 0, no máximo 1000).",
        "\"1001\" is not a percentage of the index (more than 0, at most 1000).",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2020-01&spread=-100",
        "\"-100\" não é um spread em por cento ao ano (maior que -100, no máximo 1000).",
        "\"-100\" is not a spread in percent per year (more than -100, at most 1000).",
    ),
    (
        "/calc/rate?value=-100&from=year252&to=month",
        "\"-100\" não é uma taxa em por cento (maior que -100, no máximo 1000000).",
        "\"-100\" is not a rate in percent (more than -100, at most 1000000).",
    ),
    (
        "/calc/rate?value=1&from=year252&to=week",
        "Escolha um item da lista.",
        "\"week\" is not a period of rates (day, month, year252, year360 or year365).",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=soon",
        "Informe uma data, como 31/12/2025, ou um mês, como 12/2025.",
        "\"soon\" is not a date",
    ),
    (
        "/calc/correction?amount=1&index=!!&from=2020-01",
        "Escolha um item da lista.",
        "\"!!\" is not a series",
    ),
    (
        "/calc/convert?amount=1&from=US&to=BRL",
        "Escolha um item da lista.",
        "\"US\" is not a currency",
    ),
    (
        "/calc/convert?amount=1&from=USD&to=BRL&side=top",
        "Escolha um item da lista.",
        "\"top\" is not a side",
    ),
    // Calculators: what cannot be calculated.
    (
        "/calc/correction?amount=1&index=nope&from=2020-01",
        "Não há série \"nope\"; escolha uma da lista.",
        "There is no series \"nope\"; choose one from the list.",
    ),
    (
        "/calc/correction?amount=1&index=usd-sell&from=2020-01&percent=110",
        "A série usd-sell não é uma taxa; um percentual dela não faz sentido: deixe este campo em branco.",
        "The series usd-sell is not a rate; a percentage of it means nothing: leave this empty.",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2020-01&to=2019-01",
        "A data inicial (01/01/2020) é posterior à final (01/01/2019)",
        "The first day (1 Jan 2020) is after the last one (1 Jan 2019)",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=1900-01",
        "Série ipca: os valores começam em 01/01/1980, depois de 01/01/1900; escolha uma data inicial posterior.",
        "Series ipca: its values begin on 1 Jan 1980, after 1 Jan 1900; choose a later first day.",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2020-01&to=2099-01",
        "; deixe a última data em branco para calcular até lá.",
        "; leave the last day empty to calculate up to there.",
    ),
    (
        "/calc/correction?amount=1&index=ipca&from=2099-01",
        "Série ipca: o valor mais recente é de ",
        "Series ipca: its newest value is dated ",
    ),
    (
        "/calc/accumulated?series=999999&from=2020-01",
        "a unidade dela não é conhecida, por isso não pode",
        "its unit is not known, so it cannot",
    ),
    (
        "/calc/accumulated?series=tr&from=2020-01",
        "Ainda não há valores da série tr; escolha",
        "There are no values of the series tr yet; choose",
    ),
    (
        "/calc/accumulated?series=4189&from=2020-01",
        "ela é uma taxa ao ano, por isso não pode",
        "it is a rate per year, so it cannot",
    ),
    ("/calc/accumulated?series=cdi&from=1990-01", "os valores começam em", "its values begin on"),
    (
        "/calc/accumulated?series=eur-sell&from=2014-01-02&to=2014-02-03",
        "Série eur-sell: ",
        "Series eur-sell: ",
    ),
    (
        "/calc/convert?amount=1&from=XYZ&to=BRL",
        "Não há cotações para XYZ/BRL.",
        "There are no quotes for XYZ/BRL.",
    ),
    (
        "/calc/convert?amount=1&from=USD&to=BRL&date=2999-01-01",
        "01/01/2999 está no futuro.",
        "1 Jan 2999 is in the future.",
    ),
    (
        "/calc/convert?amount=1&from=USD&to=BRL&date=1950-01-01",
        "Nenhum boletim de fechamento até 01/01/1950 tem USD.",
        "No closing bulletin up to 1 Jan 1950 has USD.",
    ),
    (
        "/calc/convert?amount=1&from=USD&to=EUR&date=1950-01-01",
        "Nenhum boletim de fechamento até 01/01/1950 tem USD e EUR.",
        "No closing bulletin up to 1 Jan 1950 has USD and EUR.",
    ),
    (
        "/calc/convert?amount=1&from=EUR&to=BRL&date=2020-01-01",
        "O boletim de fechamento mais recente até 01/01/2020 com EUR é de 15/08/2013; escolha esse dia, ou deixe a data em branco",
        "The newest closing bulletin up to 1 Jan 2020 with EUR is dated 15 Aug 2013; choose that day, or leave the date empty",
    ),
    (
        "/calc/convert?amount=1&from=EUR&to=JPY&date=2026-09-01",
        "O boletim de fechamento mais recente até 01/09/2026 com EUR e JPY é de",
        "The newest closing bulletin up to 1 Sep 2026 with EUR and JPY is dated",
    ),
    (
        "/calc/real-rate?from=2025-01&interest=usd-sell",
        "A série usd-sell não é uma taxa ao dia ou ao mês",
        "The series usd-sell is not a rate per day",
    ),
    (
        "/calc/real-rate?from=2025-01&inflation=selic",
        " não é um índice de preços mensal",
        " is not a monthly price index",
    ),
    (
        "/calc/real-rate?from=2025-02&to=2025-01",
        "A data inicial (01/02/2025)",
        "The first day (1 Feb 2025)",
    ),
    ("/calc/real-rate?from=2099-01", "01/01/2099", "1 Jan 2099"),
    // Elsewhere.
    (
        "/sign-in?next=//evil",
        "\"//evil\" não é um caminho deste serviço (/pricing).",
        "is not a path of this service",
    ),
    ("/no/such/page", "não existe neste serviço.", "does not exist on this service."),
];

/// A page, as a browser of this language asks for it.
fn page(server: &Server, target: &str, language: &str) -> Reply {
    let target = target
        .replace("{words}", &"palavra+".repeat(200))
        .replace("{long}", &"palavra".repeat(200));
    let headers = format!("Accept: text/html\r\nAccept-Language: {language}\r\n");
    server.request("GET", &target, &headers)
}

/// The element that tells what is wrong, from its class to its end.
fn refusal(page: &Reply) -> String {
    let text = page.text();
    let class =
        ["class=\"wrong\"", "class=\"lead\""].into_iter().find(|class| text.contains(class));
    let (_, told) = text.split_once(class.unwrap()).unwrap();
    told.split("</span>").next().unwrap().split("</p>").next().unwrap().replace("&quot;", "\"")
}

#[test]
fn everyday_mistakes_are_told_in_the_language_of_the_page() {
    let server = Server::shared();
    for (target, portuguese, english) in MISTAKES {
        for (language, wanted) in [("pt-BR", portuguese), ("en-US", english)] {
            let shown = page(server, target, language);
            assert!([400, 404].contains(&shown.status), "{target}: {}", shown.status);
            assert!(
                shown
                    .text()
                    .contains(&format!("<html lang=\"{}\"", language.replace("en-US", "en")))
            );
            let told = refusal(&shown);
            assert!(told.contains(wanted), "{target}: {told}");
            assert!(!told.contains("lang="), "{target} is in another language: {told}");
            for word in FOR_PROGRAMS {
                assert!(!told.contains(word), "{target} is for programs: {told}");
            }
        }
    }
}

#[test]
fn a_page_that_no_list_has_is_told_in_the_language_of_the_page() {
    let server = Server::shared();
    for number in ["0", "-1", "x", "99999999999999"] {
        for path in ["/market/ipca", "/market/fx/usd-brl", "/companies", "/filings"] {
            let shown = page(server, &format!("{path}?page={number}"), "pt-BR");
            let told = refusal(&shown);
            assert_eq!(shown.status, 400, "{path} {number}");
            assert!(told.contains('á') || told.contains('ú'), "{path} {number}: {told}");
            assert!(!told.contains("lang="), "{path} {number}: {told}");
        }
    }
}

#[test]
fn what_is_wrong_is_said_above_the_form() {
    let server = Server::shared();
    for (path, query, said, kept) in [
        ("/market/ipca", "range=7y", "is not a range (3m, 12m, 5y or all)", None),
        ("/market/selic", "from=2024-13-01", "2024-13-01", Some("2024-13-01")),
        ("/market/selic", "to=soon&from=2024-01-02", "soon", Some("2024-01-02")),
        ("/market/selic", "from=2024-02-01&to=2024-01-01", "1 Jan 2024", Some("2024-02-01")),
        ("/market/fx/usd-brl", "page=0", "is not a page (1 to 1000000)", None),
        ("/market/fx/usd-brl", "page=%2B1", "is not a page", None),
    ] {
        let shown = server.get(&format!("{path}?{query}&lang=en"));
        assert_eq!(shown.status, 400, "{query}");
        let text = shown.text();
        let (alert, form) = text.split_once("<form class=\"days\"").unwrap();
        let alert = alert.rsplit_once("role=\"alert\"").unwrap().1;
        assert!(alert.contains(said), "{query}: {alert}");
        let form = form.split_once("</form>").unwrap().0;
        assert!(kept.is_none_or(|day| form.contains(&format!("value=\"{day}\""))), "{form}");
        assert!(!text.contains("<table class=\"history\""), "{query}");
    }
    // A field that is left empty is none, and a month is its first day.
    for query in ["from=&to=&page=", "from=2024-02&to=+2024-03-01+", "from=02%2F2024"] {
        assert_eq!(server.get(&format!("/market/selic?{query}")).status, 200, "{query}");
    }
}
