//! What publishers have over a simulated year: a few series, quotes, companies and filings, of which new ones appear day by
//! day and some are revised or withdrawn. The oddities of single days are in `publisher_moods`.
use std::{collections::BTreeSet, fmt::Write as _};

use chrono::{Datelike, Days, Months, NaiveDate};

use crate::{
    published::{Response, business_day, latin, meetings, zip_bytes},
    publisher::{Fault, Publications},
    publisher_moods::{Moods, Oddities, TableOddity},
};

/// The first day of daily figures and of filings; of monthly figures.
pub(crate) const SINCE: NaiveDate = NaiveDate::from_ymd_opt(2025, 12, 1).unwrap();
pub(crate) const MONTHS_SINCE: NaiveDate = NaiveDate::from_ymd_opt(2014, 1, 1).unwrap();

/// The currencies that Olinda has, with a price; the first four are also series of SGS: sell and buy.
const QUOTED: [(&str, u32, [u32; 2]); 5] = [
    ("USD", 51_000, [1, 10813]),
    ("EUR", 59_000, [21619, 21620]),
    ("JPY", 350, [21621, 21622]),
    ("GBP", 68_000, [21623, 21624]),
    ("CHF", 63_000, [0, 0]),
];

/// The currencies that only the bulletins have.
const OTHERS: [&str; 16] = [
    "AED", "ARS", "BOB", "CLP", "CNY", "COP", "EGP", "HUF", "ILS", "INR", "KRW", "MXN", "PEN",
    "PLN", "RON", "UYU",
];

const CATEGORIES: [&str; 3] = ["Fato Relevante", "Comunicado ao Mercado", "Assembleia"];

/// The publishers on a day.
pub(crate) struct PublishedYear {
    pub(crate) day: NaiveDate,
    pub(crate) moods: Moods,
    pub(crate) oddities: Oddities,
    /// The filings that CVM has withdrawn.
    withdrawn: BTreeSet<u32>,
}

/// An event document.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventDocument {
    pub(crate) id: u32,
    pub(crate) date: NaiveDate,
    pub(crate) version: u32,
    pub(crate) company: u32,
    pub(crate) subject: String,
}

/// A company of the registry.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Company {
    pub(crate) id: u32,
    pub(crate) name: String,
    pub(crate) status: &'static str,
}

impl PublishedYear {
    pub(crate) fn new(seed: u64) -> PublishedYear {
        let (moods, oddities) = (Moods::new(seed), Oddities::default());
        PublishedYear { day: SINCE, moods, oddities, withdrawn: BTreeSet::new() }
    }

    /// The next day, with what is odd on it.
    pub(crate) fn begin(&mut self, day: NaiveDate) {
        self.day = day;
        self.oddities = self.moods.oddities(day, &self.oddities);
        let of_year = self.event_documents(day.year());
        // No more are removed of a file at once.
        if self.oddities.withdraws && of_year.len() >= 100 {
            let old = &of_year[..of_year.len() - 20];
            let chosen = &old[self.moods.below(old.len())];
            self.withdrawn.insert(chosen.id);
            self.moods.count("a filing is withdrawn");
        }
    }

    /// The figures of a series that are out.
    pub(crate) fn values(&self, number: u32) -> Vec<(NaiveDate, String)> {
        let figures = |days: Vec<NaiveDate>| {
            days.into_iter().map(|day| (day, self.figure(number, day))).collect()
        };
        match number {
            432 | 226 => figures(self.days().collect()),
            // Published on the next day.
            12 | 4389 => {
                figures(self.days().filter(|day| *day < self.day).filter(business_day).collect())
            }
            433 => figures(self.months(|month| month + Months::new(1) + Days::new(9))),
            189 => figures(self.months(|month| month + Days::new(27))),
            _ => match QUOTED.iter().find(|(.., series)| series.contains(&number)) {
                Some((currency, _, series)) => {
                    let side = usize::from(series[0] == number);
                    let quotes = self.days().filter(business_day);
                    quotes.map(|day| (day, self.quote(currency, day)[side].clone())).collect()
                }
                None => Vec::new(),
            },
        }
    }

    /// All days that are out.
    fn days(&self) -> impl Iterator<Item = NaiveDate> + use<> {
        let last = self.day;
        SINCE.iter_days().take_while(move |day| *day <= last)
    }

    /// The months whose figure is out, which is on the day that `out` says.
    fn months(&self, out: fn(NaiveDate) -> NaiveDate) -> Vec<NaiveDate> {
        let months = (0..).map(|months| MONTHS_SINCE + Months::new(months));
        months.take_while(|month| out(*month) <= self.day).collect()
    }

    fn figure(&self, number: u32, day: NaiveDate) -> String {
        let drawn = self.drawn(number, day);
        match number {
            // Changed every 45 days.
            432 => {
                format!("13.{:02}", 75 - day.num_days_from_ce() / 45 % 4 * 25)
            }
            226 => format!("0.{:04}", 1500 + drawn % 500),
            12 => format!("0.05{:04}", drawn % 4000),
            4389 => format!("13.{:02}", drawn % 100),
            _ => format!("0.{:02}", drawn % 100),
        }
    }

    /// The closing quote of a currency: buy and sell.
    pub(crate) fn quote(&self, currency: &str, day: NaiveDate) -> [String; 2] {
        let quoted = QUOTED.iter().position(|known| known.0 == currency);
        let price = quoted.map_or(20_000, |position| QUOTED[position].1);
        let name = currency.bytes().map(u32::from).fold(0, |sum, byte| sum * 31 + byte);
        // Bulletins are not read again, so what only they have is not revised.
        let drawn = if quoted.is_some() { self.drawn(name, day) } else { hash(name, day, 0) };
        let sell = price + drawn % (price / 20) + 6;
        let side = |price: u32| format!("{}.{:04}", price / 10_000, price % 10_000);
        [side(sell - 6), side(sell)]
    }

    /// A number for a figure; it becomes another one some days later for figures that are revised.
    fn drawn(&self, number: u32, day: NaiveDate) -> u32 {
        let is_revised = hash(number, day, 1).is_multiple_of(23) && self.day >= day + Days::new(4);
        hash(number, day, if is_revised { 2 } else { 0 })
    }

    fn series(&mut self, number: u32, query: &str) -> Response {
        let (_, dates) = query.split_once("dataInicial=").unwrap();
        let (first, last) = dates.split_once("&dataFinal=").unwrap();
        let day = |text: &str| NaiveDate::parse_from_str(text, "%d/%m/%Y").unwrap();
        let (first, last) = (day(first), day(last));
        let shown = |day: NaiveDate| day.format("%d/%m/%Y");
        let mut rows = Vec::new();
        if number == 433 && self.oddities.is_ancient {
            self.moods.count("a figure of the year 1");
            rows.push(r#"{"data":"01/01/0001","valor":"0.30"}"#.to_owned());
        }
        for (day, value) in self.values(number) {
            if !(first..=last).contains(&day) {
                continue;
            }
            if number != 226 {
                rows.push(format!(r#"{{"data":"{}","valor":"{value}"}}"#, shown(day)));
                continue;
            }
            let end = day + Months::new(1);
            let end = if end.day() == day.day() { end } else { end + Days::new(1) };
            let row = |end: NaiveDate, value: &str| {
                format!(
                    r#"{{"data":"{}","dataFim":"{}","valor":"{value}"}}"#,
                    shown(day),
                    shown(end)
                )
            };
            rows.push(row(end, &value));
            if day.day() % 7 == 0 {
                self.moods.count("a day with two periods");
                rows.push(row(end - Days::new(3), "0.1111"));
            }
        }
        if let Some(month) = self.oddities.early.filter(|_| number == 433 && last == self.day) {
            self.moods.count("a figure before its time");
            rows.push(format!(r#"{{"data":"{}","valor":"0.99"}}"#, shown(month)));
        }
        if rows.is_empty() {
            let body = br#"{"error":"Value(s) not found"}"#.to_vec();
            return Response { status: 404, body };
        }
        Response { status: 200, body: format!("[{}]", rows.join(",")).into_bytes() }
    }

    /// The bulletins of a currency, closing ones and others, which may be odd.
    fn period(&mut self, query: &str) -> Option<Vec<u8>> {
        let value = |name: &str| query.split(name).nth(1)?.split('\'').next();
        let day = |text: &str| NaiveDate::parse_from_str(text, "%m-%d-%Y").ok();
        let (first, last) = (day(value("@dataInicial='")?)?, day(value("@dataFinalCotacao='")?)?);
        let (currency, ..) = QUOTED.iter().find(|known| Some(known.0) == value("@moeda='"))?;
        let days = self.days().filter(business_day).filter(|day| (first..=last).contains(day));
        let mut rows = Vec::new();
        for day in days {
            let bulletin = |buy: &str, sell: &str, time: &str, kind: &str| {
                format!(
                    r#"{{"cotacaoCompra":{buy},"cotacaoVenda":{sell},"dataHoraCotacao":"{day} {time}","tipoBoletim":"{kind}"}}"#
                )
            };
            let [buy, sell] = self.quote(currency, day);
            let (odd_buy, odd_sell) = match hash(7, day, 7) % 6 {
                0 => ("0", "0"),
                1 => (&*sell, &*buy),
                _ => (&*buy, &*sell),
            };
            if odd_buy != buy {
                self.moods.count("an odd bulletin during the day");
            }
            rows.push(bulletin(odd_buy, odd_sell, "10:08:31.922", "Abertura"));
            rows.push(bulletin(&buy, &sell, "13:09:10.762", "Fechamento"));
        }
        let rows = rows.join(",");
        Some(
            format!(r#"{{"@odata.context":"x#_CotacaoMoedaPeriodo","value":[{rows}]}}"#)
                .into_bytes(),
        )
    }

    fn bulletin(&self, file: &str) -> Option<Vec<u8>> {
        let day = NaiveDate::parse_from_str(file, "%Y%m%d.csv").ok()?;
        if day < SINCE || day > self.day || !business_day(&day) {
            return None;
        }
        let mut text = String::new();
        for currency in QUOTED.iter().map(|known| known.0).chain(OTHERS) {
            let [buy, sell] = self.quote(currency, day).map(|price| price.replace('.', ","));
            let day = day.format("%d/%m/%Y");
            write!(text, "{day};005;A;{currency};{buy};{sell};1,00000000;1,00000000\r\n").unwrap();
        }
        Some(text.into_bytes())
    }

    /// The event documents that were delivered in a year, but for those that were withdrawn.
    pub(crate) fn event_documents(&self, year: i32) -> Vec<EventDocument> {
        let mut documents = Vec::new();
        for date in self.days().filter(|day| day.year() == year).filter(business_day) {
            for n in 0..2 {
                let id = 1_000_000 + u32::try_from((date - SINCE).num_days()).unwrap() * 2 + n;
                let is_revised =
                    hash(id, date, 3).is_multiple_of(17) && self.day >= date + Days::new(5);
                let version = if is_revised { 2 } else { 1 };
                let subject = format!("Eleição nº {id} de administração, versão {version}");
                let document =
                    EventDocument { id, date, version, company: 1000 + id % 40, subject };
                documents.push(document);
            }
        }
        documents.retain(|document| !self.withdrawn.contains(&document.id));
        documents
    }

    fn event_file(&mut self, year: i32) -> Option<Vec<u8>> {
        let documents = self.event_documents(year);
        let mut table = Table::new(
            "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download",
        );
        for document in &documents {
            table.add(event_row(document));
        }
        let first = documents.first()?;
        let (older, future) = (
            EventDocument { version: 0, subject: "Rascunho".to_owned(), ..first.clone() },
            EventDocument { id: 99, date: NaiveDate::from_ymd_opt(2099, 1, 4)?, ..first.clone() },
        );
        let oddity = if year == self.day.year() { self.oddities.events } else { TableOddity::None };
        self.moods.count(oddity.name());
        match oddity {
            TableOddity::None => (),
            TableOddity::Renamed => table.rename("Data_Entrega", "DT_RECEB"),
            TableOddity::Missing => table.remove("Assunto"),
            TableOddity::Contradictory => table.add(event_row(&older)),
            TableOddity::Mixed => table.is_mixed = true,
            TableOddity::Impossible => table.add(event_row(&future)),
        }
        Some(zip_bytes(&[(&format!("ipe_cia_aberta_{year}.csv"), table.bytes())]))
    }

    /// Quarterly statements of five companies, delivered 40 days after the quarter.
    pub(crate) fn quarterly_documents(&self, year: i32) -> Vec<(u32, NaiveDate)> {
        let mut documents = Vec::new();
        for quarter in 1..4 {
            let next = NaiveDate::from_ymd_opt(year, quarter * 3 + 1, 1).unwrap();
            let delivered = next + Days::new(40);
            if delivered <= self.day {
                let first = 500_000 + u32::try_from(year).unwrap() % 100 * 100 + quarter * 10;
                documents.extend((first..first + 5).map(|id| (id, delivered)));
            }
        }
        documents
    }

    fn quarterly_file(&self, year: i32) -> Option<Vec<u8>> {
        let documents = self.quarterly_documents(year);
        let mut table = Table::new(FORM_INDEX);
        for (id, delivered) in &documents {
            let quarter = *delivered - Days::new(41);
            table.add(form_row("ITR", *id, 1000 + id % 10, quarter, *delivered));
        }
        let file = (format!("itr_cia_aberta_{year}.csv"), table.bytes());
        (!documents.is_empty()).then(|| zip_bytes(&[(&file.0, file.1)]))
    }

    /// The registration forms of five companies, with their tickers.
    fn registration_file(&self, year: i32) -> Option<Vec<u8>> {
        let delivered = NaiveDate::from_ymd_opt(year, 1, 20)?;
        if delivered > self.day || year < 2025 {
            return None;
        }
        let mut index = Table::new(FORM_INDEX);
        let mut tickers = Table::new(
            "CNPJ_Companhia;Data_Referencia;Versao;ID_Documento;Nome_Empresarial;Valor_Mobiliario;Sigla_Classe_Acao_Preferencial;Classe_Acao_Preferencial;Codigo_Negociacao;Composicao_BDR_Unit;Mercado;Sigla_Entidade_Administradora;Entidade_Administradora;Data_Inicio_Negociacao;Data_Fim_Negociacao;Segmento;Data_Inicio_Listagem;Data_Fim_Listagem",
        );
        let january = NaiveDate::from_ymd_opt(year, 1, 1)?;
        for company in 1000..1005 {
            let id = 600_000 + u32::try_from(year).unwrap() % 100 * 100 + company % 10;
            index.add(form_row("FCA", id, company, january, delivered));
            let (cnpj, ticker) = (cnpj(company), ticker(company));
            tickers.add(format!("{cnpj};{january};1;{id};COMPANHIA;Ações;;;{ticker};;Bolsa;B3;B3 S.A.;2010-01-01;;;;"));
        }
        let names =
            ["", "valor_mobiliario_"].map(|part| format!("fca_cia_aberta_{part}{year}.csv"));
        Some(zip_bytes(&[(&names[0], index.bytes()), (&names[1], tickers.bytes())]))
    }

    /// The registry: some companies are new, one is renamed, some are cancelled in the course of the year.
    pub(crate) fn companies(&self) -> Vec<Company> {
        let age = usize::try_from((self.day - SINCE).num_days()).unwrap();
        let company = |n: u32| {
            let is_renamed = n == 3 && age > 150;
            let name = if is_renamed {
                "NOVA AÇÃO S.A.".into()
            } else {
                format!("COMPANHIA DE AÇÃO {n} S.A.")
            };
            let is_cancelled = n % 10 == 9 && age > 130 + n as usize;
            let status = if is_cancelled { "CANCELADA" } else { "ATIVO" };
            Company { id: 1000 + n, name, status }
        };
        (0..60 + u32::try_from(age / 20).unwrap()).map(company).collect()
    }

    fn registry(&mut self) -> Vec<u8> {
        let mut table = Table::new(
            "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV",
        );
        for Company { id, name, status } in self.companies() {
            let status = if self.oddities.all_cancelled { "CANCELADA" } else { status };
            // The newest event is of the newest day.
            let since = if id == 1000 { self.day } else { MONTHS_SINCE };
            table.add(format!(
                "{};{name};Ação {id};2010-01-04;;;;{status};{since};{id};Energia Elétrica",
                cnpj(id)
            ));
        }
        if self.oddities.all_cancelled {
            self.moods.count("all companies are cancelled");
        }
        let oddity = self.oddities.registry;
        self.moods.count(oddity.name());
        match oddity {
            TableOddity::None | TableOddity::Impossible => (),
            TableOddity::Renamed => table.rename("DENOM_COMERC", "Nome_Fantasia"),
            TableOddity::Missing => table.remove("SETOR_ATIV"),
            TableOddity::Contradictory => {
                let cnpj = cnpj(1005);
                table.add(format!(
                    "{cnpj};OUTRO NOME;;2010-01-04;;;;ATIVO;2011-01-01;1005;Energia Elétrica"
                ));
            }
            TableOddity::Mixed => table.is_mixed = true,
        }
        table.bytes()
    }

    fn file(&mut self, file: &str) -> Option<Vec<u8>> {
        if file == "cad_cia_aberta.csv" {
            return Some(self.registry());
        }
        let (form, year) = file.trim_end_matches(".zip").split_once("_cia_aberta_")?;
        let year: i32 = year.parse().ok()?;
        if year == self.day.year() && self.oddities.away.is_some_and(|(away, _)| away == form) {
            self.moods.count("a file of the year is away");
            return None;
        }
        match form {
            "ipe" => self.event_file(year),
            "itr" => self.quarterly_file(year),
            "fca" => self.registration_file(year),
            _ => None,
        }
    }
}

impl Publications for PublishedYear {
    fn answer(&mut self, target: &str) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let file = path.rsplit('/').next().unwrap_or_default();
        let found = match path.split('/').nth(1) {
            Some("sgs") => {
                let number = path.split("bcdata.sgs.").nth(1).unwrap().trim_end_matches("/dados");
                return self.series(number.parse().unwrap(), query);
            }
            Some("olinda") if file == "Moedas" => {
                let rows = QUOTED.map(|(name, ..)| format!(r#"{{"simbolo":"{name}"}}"#)).join(",");
                Some(
                    format!(r#"{{"@odata.context":"x$metadata#Moedas","value":[{rows}]}}"#)
                        .into_bytes(),
                )
            }
            Some("olinda") => self.period(query),
            Some("ptax") => self.bulletin(file),
            Some("bcb") => Some(meetings()),
            _ => self.file(file),
        };
        match found {
            Some(body) => Response { status: 200, body },
            None => Response { status: 404, body: b"<html>Not Found</html>".to_vec() },
        }
    }

    fn mood(&mut self, target: &str, answer: &Response) -> Option<Fault> {
        self.moods.fault(target, answer)
    }
}

const FORM_INDEX: &str =
    "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC";

fn form_row(form: &str, id: u32, company: u32, refers: NaiveDate, delivered: NaiveDate) -> String {
    let link =
        "http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1";
    let cnpj = cnpj(company);
    format!(
        "{cnpj};{refers};1;COMPANHIA;{company};{form};{id};{delivered};{link}&NumeroSequencialDocumento={id}"
    )
}

/// The ticker of a company that has one.
pub(crate) fn ticker(company: u32) -> String {
    let letter = char::from(b'A' + u8::try_from(company % 10).unwrap());
    format!("ABC{letter}3")
}

fn event_row(document: &EventDocument) -> String {
    let EventDocument { id, date, version, company, subject } = document;
    let category = CATEGORIES[*id as usize % CATEGORIES.len()];
    let link = format!(
        "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}&numSequencia=7&numVersao={version}"
    );
    format!(
        "{};COMPANHIA;{company};{date};{category};;;{subject};{date};AP;{id};{version};{link}",
        cnpj(*company)
    )
}

/// A table as CVM publishes it.
struct Table {
    rows: Vec<Vec<String>>,
    /// Whether every second line is in UTF-8.
    is_mixed: bool,
}

impl Table {
    fn new(header: &str) -> Table {
        let mut table = Table { rows: Vec::new(), is_mixed: false };
        table.add(header.to_owned());
        table
    }

    fn add(&mut self, row: String) {
        self.rows.push(row.split(';').map(str::to_owned).collect());
    }

    fn rename(&mut self, column: &str, name: &str) {
        let position = self.position(column);
        name.clone_into(&mut self.rows[0][position]);
    }

    fn remove(&mut self, column: &str) {
        let position = self.position(column);
        self.rows.iter_mut().for_each(|row| drop(row.remove(position)));
    }

    fn position(&self, column: &str) -> usize {
        self.rows[0].iter().position(|name| name == column).unwrap()
    }

    fn bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        for (line, row) in self.rows.iter().enumerate() {
            let row = format!("{}\r\n", row.join(";"));
            bytes.extend(if self.is_mixed && line % 2 == 1 {
                row.into_bytes()
            } else {
                latin(&row)
            });
        }
        bytes
    }
}

/// The number of a company for the tax office, with its check digits.
fn cnpj(company: u32) -> String {
    let mut digits: Vec<u32> = format!("{:08}0001", 10_000_000 + company * 37)
        .chars()
        .map(|digit| digit.to_digit(10).unwrap())
        .collect();
    for _ in 0..2 {
        let weights = (2..10).cycle();
        let sum: u32 = digits.iter().rev().zip(weights).map(|(digit, weight)| digit * weight).sum();
        digits.push(match sum % 11 {
            0 | 1 => 0,
            rest => 11 - rest,
        });
    }
    let text: String = digits.iter().map(u32::to_string).collect();
    format!("{}.{}.{}/{}-{}", &text[..2], &text[2..5], &text[5..8], &text[8..12], &text[12..])
}

/// A number that depends on all of these.
fn hash(number: u32, day: NaiveDate, salt: u64) -> u32 {
    let mut mixed =
        u64::from(number) << 32 ^ u64::from(day.num_days_from_ce().unsigned_abs()) ^ salt << 20;
    for _ in 0..2 {
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed ^= mixed >> 27;
    }
    (mixed >> 40) as u32
}
