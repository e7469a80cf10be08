//! CVM: the registry of companies, and the filings of a year.
use fincore::Date;

use super::{
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request},
};

/// The kinds of filings, with the first year of their files.
const FORMS: [(&str, u16); 5] =
    [("IPE", 2003), ("DFP", 2010), ("ITR", 2010), ("FRE", 2010), ("FCA", 2010)];

/// The registration form, which has the tickers.
const TICKERS: &str = "FCA";

/// The request for the registry of companies.
pub(super) fn registry(base: &BaseUrl) -> Request {
    let file = "cad_cia_aberta.csv";
    Request {
        publisher: Publisher::Cvm,
        url: base.join(&format!("/dados/CIA_ABERTA/CAD/DADOS/{file}")),
        file: file.into(),
        what: "registry of companies".into(),
        absence: Absence::Failure,
        repeat: Repeat::Always,
    }
}

/// The requests for the tickers of companies: this year's registration forms and last year's.
pub(super) fn tickers(base: &BaseUrl, today: Date) -> Vec<Request> {
    let years = last_years(None, today);
    years.map(|year| request(base, TICKERS, year, today)).collect()
}

/// The requests for filings, oldest year first, because newer forms replace older ones: this year and last year, or all
/// years since a day.
pub(super) fn filings(base: &BaseUrl, since: Option<Date>, today: Date) -> Vec<Request> {
    let of_year = |year| {
        let forms = FORMS.iter().filter(move |(_, first)| year >= *first);
        forms.map(move |(form, _)| request(base, form, year, today))
    };
    last_years(since, today).flat_map(of_year).collect()
}

fn last_years(since: Option<Date>, today: Date) -> impl Iterator<Item = u16> {
    let last = today.year();
    let first = since.map_or(last, Date::year).min(last - 1);
    first.max(FORMS[0].1)..=last
}

fn request(base: &BaseUrl, form: &str, year: u16, today: Date) -> Request {
    let file = format!("{}_cia_aberta_{year}.zip", form.to_lowercase());
    Request {
        publisher: Publisher::Cvm,
        url: base.join(&format!("/dados/CIA_ABERTA/DOC/{form}/DADOS/{file}")),
        file,
        what: format!("{form} of {year}"),
        // Some forms have no file for the first years, and none for the running one until a company files.
        absence: if year < today.year() { Absence::NeverWas } else { Absence::NotYet },
        repeat: Repeat::Always,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(since: Option<&str>, today: &str) -> Vec<String> {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let base = "https://dados.cvm.gov.br".parse().unwrap();
        let requests = filings(&base, since.map(day), day(today));
        requests.into_iter().map(|request| request.file).collect()
    }

    #[test]
    fn asks_for_this_year_and_last_year() {
        let files = check(None, "2026-11-15");
        assert_eq!(files.len(), 10);
        assert_eq!(files[0], "ipe_cia_aberta_2025.zip");
        assert_eq!(files[9], "fca_cia_aberta_2026.zip");
        assert_eq!(check(Some("2026-06-01"), "2026-11-15"), files);
    }

    #[test]
    fn asks_for_all_years_that_have_files() {
        let files = check(Some("1990-01-01"), "2026-11-15");
        assert_eq!(files[0], "ipe_cia_aberta_2003.zip");
        assert_eq!(files[1], "ipe_cia_aberta_2004.zip");
        // IPE of 24 years, four other forms of 17.
        assert_eq!(files.len(), 24 + 4 * 17);
    }

    #[test]
    fn writes_the_official_addresses() {
        let base = "https://dados.cvm.gov.br".parse().unwrap();
        let today = "2026-11-15".parse().unwrap();
        assert_eq!(
            registry(&base).url,
            "https://dados.cvm.gov.br/dados/CIA_ABERTA/CAD/DADOS/cad_cia_aberta.csv"
        );
        assert_eq!(
            tickers(&base, today)[1].url,
            "https://dados.cvm.gov.br/dados/CIA_ABERTA/DOC/FCA/DADOS/fca_cia_aberta_2026.zip"
        );
    }
}
