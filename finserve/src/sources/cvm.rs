//! CVM: the registry of companies, and the filings of a year.
use fincore::{Date, Form};

use super::{
    publisher_address::BaseUrl,
    request::{Absence, Publisher, Repeat, Request},
};

/// The first year in which there are event documents; of periodic forms.
const FIRST_YEARS: (u16, u16) = (2003, 2010);

/// The request for the registry of companies.
pub(super) fn registry(base: &BaseUrl) -> Request {
    let file = "cad_cia_aberta.csv";
    Request {
        publisher: Publisher::Cvm,
        url: base.join(&format!("/dados/CIA_ABERTA/CAD/DADOS/{file}")),
        file: file.into(),
        what: "registry of companies".into(),
        days: None,
        absence: Absence::Failure,
        repeat: Repeat::Always,
    }
}

/// The requests for the tickers of companies: this year's registration forms and last year's.
pub(super) fn tickers(base: &BaseUrl, today: Date) -> Vec<Request> {
    // The registration form has them.
    filings(base, Form::Fca, None, today)
}

/// The requests for the filings of a form, oldest year first, because newer ones replace older ones: this year and last
/// year, or all years since a day.
pub(super) fn filings(
    base: &BaseUrl,
    form: Form,
    since: Option<Date>,
    today: Date,
) -> Vec<Request> {
    let last = today.year();
    let first = since.map_or(last, Date::year).min(last - 1);
    let published = if form == Form::Ipe { FIRST_YEARS.0 } else { FIRST_YEARS.1 };
    (first.max(published)..=last).map(|year| request(base, form, year, today)).collect()
}

fn request(base: &BaseUrl, form: Form, year: u16, today: Date) -> Request {
    let (name, folder) = (form.name(), form.name().to_uppercase());
    let file = format!("{name}_cia_aberta_{year}.zip");
    Request {
        publisher: Publisher::Cvm,
        url: base.join(&format!("/dados/CIA_ABERTA/DOC/{folder}/DADOS/{file}")),
        file,
        what: format!("{folder} of {year}"),
        days: None,
        // Some forms have no file for the first years, and none for the running one until a company files.
        absence: if year < today.year() { Absence::NeverWas } else { Absence::NotYet },
        repeat: Repeat::Always,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: Form, since: Option<&str>, today: &str) -> Vec<String> {
        let day = |text: &str| text.parse::<Date>().unwrap();
        let base = "https://dados.cvm.gov.br".parse().unwrap();
        let requests = filings(&base, form, since.map(day), day(today));
        requests.into_iter().map(|request| request.file).collect()
    }

    #[test]
    fn asks_for_this_year_and_last_year() {
        let files = check(Form::Ipe, None, "2026-11-15");
        assert_eq!(files, ["ipe_cia_aberta_2025.zip", "ipe_cia_aberta_2026.zip"]);
        assert_eq!(check(Form::Ipe, Some("2026-06-01"), "2026-11-15"), files);
    }

    #[test]
    fn asks_for_all_years_that_have_files() {
        let files = check(Form::Ipe, Some("1990-01-01"), "2026-11-15");
        assert_eq!((&*files[0], files.len()), ("ipe_cia_aberta_2003.zip", 24));
        let files = check(Form::Fre, Some("1990-01-01"), "2026-11-15");
        assert_eq!((&*files[0], files.len()), ("fre_cia_aberta_2010.zip", 17));
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
