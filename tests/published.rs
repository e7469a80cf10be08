//! What the central bank and CVM have published up to a day, in their formats.
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{Cursor, Write as _},
};

use chrono::{Datelike, Days, NaiveDate};
use fincore::{Catalogue, companies, market};
use zip::{ZipWriter, write::SimpleFileOptions};

use crate::publisher::{Fault, Publications};

/// All that a publisher answers.
#[derive(Clone, Debug)]
pub(crate) struct Response {
    pub(crate) status: u16,
    pub(crate) body: Vec<u8>,
}

/// The data of the publishers on a day. It begins where the bundled data ends.
#[derive(Clone, Debug)]
pub(crate) struct Published {
    /// The newest day that is out.
    pub(crate) day: NaiveDate,
    /// The first day of series and of the quotes of Olinda.
    pub(crate) since: NaiveDate,
    /// Closing quotes, the same on all days: currency, buy, sell.
    quotes: Vec<(String, String, String)>,
    /// The rows of the registry up to the status, and from the code on.
    companies: Vec<(String, String)>,
    /// Other archives of CVM, by their names.
    pub(crate) archives: BTreeMap<String, Vec<u8>>,
}

/// The first day that the publishers have.
pub(crate) const FIRST: NaiveDate = NaiveDate::from_ymd_opt(2026, 10, 1).unwrap();

const MAJORS: [&str; 10] = ["AUD", "CAD", "CHF", "DKK", "EUR", "GBP", "JPY", "NOK", "SEK", "USD"];

impl Published {
    /// Up to this day, with the companies and currencies of the bundled data.
    pub(crate) fn until(day: NaiveDate, bundled: &Catalogue) -> Published {
        let snapshot = bundled.snapshot("2026-10-05".parse().unwrap()).unwrap();
        let mut quotes = Vec::new();
        for pair in market::fx_pairs(&snapshot, market::FxPairs::default()).unwrap().data {
            let newest =
                market::fx_current(&snapshot, market::FxCurrent { pair: pair.pair }).unwrap();
            quotes.push((
                pair.pair.base.to_string(),
                newest.buy.to_string(),
                newest.sell.to_string(),
            ));
        }
        let mut rows = Vec::new();
        for company in companies::all(&snapshot).unwrap() {
            let day =
                |day: Option<fincore::Date>| day.map(|day| day.to_string()).unwrap_or_default();
            let (registered, cancelled) = (day(company.registered_on), day(company.cancelled_on));
            let (name, status) = (company.name, company.status.unwrap());
            let trade_name = company.trade_name.unwrap_or_default();
            let start = format!(
                "{};{name};{trade_name};{registered};;{cancelled};;{status};",
                company.cnpj.unwrap()
            );
            rows.push((start, format!(";{};{}{}", company.id, company.sector, ";".repeat(36))));
        }
        let archives = BTreeMap::new();
        Published { day, since: FIRST, quotes, companies: rows, archives }
    }

    /// The answer to a request.
    fn find(&self, target: &str) -> Response {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let file = path.rsplit('/').next().unwrap_or_default();
        let found = match path.split('/').nth(1) {
            Some("sgs") => return self.series(path, query),
            Some("olinda") if file == "Moedas" => Some(currencies()),
            Some("olinda") => self.period(query),
            Some("ptax") => self.bulletin(file),
            Some("bcb") if file == "agendaics" => Some(meetings()),
            Some("cvm") if file == "cad_cia_aberta.csv" => Some(self.registry()),
            Some("cvm") => self.archive(file),
            _ => None,
        };
        match found {
            Some(body) => Response { status: 200, body },
            None => Response { status: 404, body: b"<html>Not Found</html>".to_vec() },
        }
    }

    fn series(&self, path: &str, query: &str) -> Response {
        let number = path.split("bcdata.sgs.").nth(1).unwrap().trim_end_matches("/dados");
        let (_, dates) = query.split_once("dataInicial=").unwrap();
        let (first, last) = dates.split_once("&dataFinal=").unwrap();
        let day = |text: &str| NaiveDate::parse_from_str(text, "%d/%m/%Y").unwrap();
        let (first, last) = (day(first), day(last));
        let text = |text: &str| text.as_bytes().to_vec();
        if last.year() - first.year() > 10 {
            let body = r#"{"erro":{"detail":"O sistema aceita uma janela de consulta de, no máximo, 10 anos"}}"#;
            return Response { status: 406, body: text(body) };
        }
        let rows: Vec<String> = self
            .values(number)
            .iter()
            .filter(|(day, _)| (first..=last).contains(day))
            .map(|(day, value)| {
                format!(r#"{{"data":"{}","valor":"{value}"}}"#, day.format("%d/%m/%Y"))
            })
            .collect();
        if rows.is_empty() {
            let body = r#"{"error":"Value(s) not found"}"#;
            return Response { status: 404, body: text(body) };
        }
        Response { status: 200, body: format!("[{}]", rows.join(",")).into_bytes() }
    }

    /// The figures of a series that are out.
    pub(crate) fn values(&self, number: &str) -> Vec<(NaiveDate, String)> {
        let quote = |currency: &str| self.quotes.iter().find(|quote| quote.0 == currency).unwrap();
        let daily: fn(&NaiveDate) -> bool = |_| true;
        let monthly: fn(&NaiveDate) -> bool = |day| day.day() == 1;
        let (on, value) = match number {
            "432" => (daily, "13.75"),
            "4389" => (business_day as fn(&NaiveDate) -> bool, "13.90"),
            "12" => (business_day as fn(&NaiveDate) -> bool, "0.051660"),
            "433" | "189" | "7478" | "24369" | "10844" | "777777" => {
                // Every month has another figure.
                let figure = |day: NaiveDate| format!("0.{:02}", 20 + day.month());
                let days = self.days_since(self.since).filter(monthly);
                return days.map(|day| (day, figure(day))).collect();
            }
            "1" => (business_day as fn(&NaiveDate) -> bool, &*quote("USD").2),
            "10813" => (business_day as fn(&NaiveDate) -> bool, &*quote("USD").1),
            "21619" => (business_day as fn(&NaiveDate) -> bool, &*quote("EUR").2),
            "21620" => (business_day as fn(&NaiveDate) -> bool, &*quote("EUR").1),
            _ => return Vec::new(),
        };
        self.days_since(self.since).filter(on).map(|day| (day, value.to_owned())).collect()
    }

    fn days_since(&self, first: NaiveDate) -> impl Iterator<Item = NaiveDate> + use<> {
        let last = self.day;
        first.iter_days().take_while(move |day| *day <= last)
    }

    /// All days that are out.
    pub(crate) fn days(&self) -> impl Iterator<Item = NaiveDate> + use<> {
        self.days_since(FIRST)
    }

    fn period(&self, query: &str) -> Option<Vec<u8>> {
        let value = |name: &str| query.split(name).nth(1)?.split('\'').next();
        let day = |text: &str| NaiveDate::parse_from_str(text, "%m-%d-%Y").ok();
        let (first, last) = (day(value("@dataInicial='")?)?, day(value("@dataFinalCotacao='")?)?);
        assert!((last - first).num_days() <= 366, "at most a year a call: {query}");
        let currency = value("@moeda='")?;
        let (_, buy, sell) = self.quotes.iter().find(|quote| quote.0 == currency)?;
        let bulletin = |day: NaiveDate| {
            format!(
                r#"{{"cotacaoCompra":{buy},"cotacaoVenda":{sell},"dataHoraCotacao":"{day} 13:09:10.762","tipoBoletim":"Fechamento"}}"#
            )
        };
        let days = self.days_since(self.since).filter(business_day);
        let days = days.filter(|day| (first..=last).contains(day));
        let rows: Vec<String> = days.map(bulletin).collect();
        Some(
            format!(
                r#"{{"@odata.context":"x$metadata#_CotacaoMoedaPeriodo","value":[{}]}}"#,
                rows.join(",")
            )
            .into_bytes(),
        )
    }

    fn bulletin(&self, file: &str) -> Option<Vec<u8>> {
        let day = NaiveDate::parse_from_str(file, "%Y%m%d.csv").ok()?;
        if day < FIRST || day > self.day || !business_day(&day) {
            return None;
        }
        let mut text = String::new();
        for (currency, buy, sell) in &self.quotes {
            let (buy, sell) = (buy.replace('.', ","), sell.replace('.', ","));
            let day = day.format("%d/%m/%Y");
            write!(text, "{day};005;A;{currency};{buy};{sell};1,00000000;1,00000000\r\n").unwrap();
        }
        Some(text.into_bytes())
    }

    /// The registry; its newest event is of the newest day.
    pub(crate) fn registry(&self) -> Vec<u8> {
        let header = "CNPJ_CIA;DENOM_SOCIAL;DENOM_COMERC;DT_REG;DT_CONST;DT_CANCEL;MOTIVO_CANCEL;SIT;DT_INI_SIT;CD_CVM;SETOR_ATIV;TP_MERC;CATEG_REG;DT_INI_CATEG;SIT_EMISSOR;DT_INI_SIT_EMISSOR;CONTROLE_ACIONARIO;TP_ENDER;LOGRADOURO;COMPL;BAIRRO;MUN;UF;PAIS;CEP;DDD_TEL;TEL;DDD_FAX;FAX;EMAIL;TP_RESP;RESP;DT_INI_RESP;LOGRADOURO_RESP;COMPL_RESP;BAIRRO_RESP;MUN_RESP;UF_RESP;PAIS_RESP;CEP_RESP;DDD_TEL_RESP;TEL_RESP;DDD_FAX_RESP;FAX_RESP;EMAIL_RESP;CNPJ_AUDITOR;AUDITOR\n";
        let mut text = header.to_owned();
        for (n, (start, end)) in self.companies.iter().enumerate() {
            let since = if n == 0 { self.day.to_string() } else { String::new() };
            writeln!(text, "{start}{since}{end}").unwrap();
        }
        latin(&text)
    }

    fn archive(&self, file: &str) -> Option<Vec<u8>> {
        if let Some(archive) = self.archives.get(file) {
            return Some(archive.clone());
        }
        let (form, year) = file.trim_end_matches(".zip").split_once("_cia_aberta_")?;
        let year: i32 = year.parse().ok()?;
        match form {
            "ipe" => {
                let days: Vec<NaiveDate> =
                    self.days().filter(business_day).filter(|day| day.year() == year).collect();
                (!days.is_empty())
                    .then(|| zip(&[(&format!("ipe_cia_aberta_{year}.csv"), &ipe(&days))]))
            }
            "fca" if year == self.day.year() => {
                let names = ["", "valor_mobiliario_"]
                    .map(|part| format!("fca_cia_aberta_{part}{year}.csv"));
                Some(zip(&[(&names[0], &form_index()), (&names[1], &tickers())]))
            }
            _ => None,
        }
    }
}

impl Publications for Published {
    fn answer(&mut self, target: &str) -> Response {
        self.find(target)
    }

    fn mood(&mut self, _: &str, _: &Response) -> Option<Fault> {
        None
    }
}

/// Whether banks are open.
pub(crate) fn business_day(day: &NaiveDate) -> bool {
    fincore::Date::try_from(*day).is_ok_and(fincore::calendar::is_business_day)
}

fn currencies() -> Vec<u8> {
    let row =
        |symbol: &&str| format!(r#"{{"simbolo":"{symbol}","nomeFormatado":"x","tipoMoeda":"A"}}"#);
    let rows: Vec<String> = MAJORS.iter().map(row).collect();
    format!(r#"{{"@odata.context":"x$metadata#Moedas","value":[{}]}}"#, rows.join(",")).into_bytes()
}

/// The meetings of 2028, which the bundled data does not have, and those of 2027.
pub(crate) fn meetings() -> Vec<u8> {
    let days = ["2027-12-07", "2027-12-08", "2028-01-25", "2028-01-26"];
    let event = |day: &&str| {
        let day = day.replace('-', "");
        format!(
            "BEGIN:VEVENT\r\nDTSTART;VALUE=DATE:{day}\r\nSUMMARY:Reunião do Copom\r\nEND:VEVENT\r\n"
        )
    };
    let events: String = days.iter().map(event).collect();
    format!("BEGIN:VCALENDAR\r\nVERSION:2.0\r\n{events}END:VCALENDAR\r\n").into_bytes()
}

/// One filing of Petrobras a day.
fn ipe(days: &[NaiveDate]) -> String {
    let mut text = "CNPJ_Companhia;Nome_Companhia;Codigo_CVM;Data_Referencia;Categoria;Tipo;Especie;Assunto;Data_Entrega;Tipo_Apresentacao;Protocolo_Entrega;Versao;Link_Download\r\n".to_owned();
    for day in days {
        let id = 9_000_000 + (*day - FIRST).num_days();
        let link = format!(
            "https://www.rad.cvm.gov.br/ENET/frmDownloadDocumento.aspx?Tela=ext&descTipo=IPE&CodigoInstituicao=1&numProtocolo={id}&numSequencia=719788&numVersao=1"
        );
        write!(text, "33.000.167/0001-01;PETROBRAS;9512;{day};Fato Relevante;;;Assunto {id};{day};AP;{id};1;{link}\r\n").unwrap();
    }
    text
}

fn form_index() -> String {
    // Delivered on the first day that is out, so that it never is the newest filing.
    format!(
        "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\r\n33.000.167/0001-01;2026-01-01;1;PETROBRAS;9512;FCA;900001;{FIRST};http://www.rad.cvm.gov.br/ENETCONSULTA/frmDownloadDocumento.aspx?CodigoInstituicao=1&NumeroSequencialDocumento=900001\r\n"
    )
}

fn tickers() -> String {
    let header = "CNPJ_Companhia;Data_Referencia;Versao;ID_Documento;Nome_Empresarial;Valor_Mobiliario;Sigla_Classe_Acao_Preferencial;Classe_Acao_Preferencial;Codigo_Negociacao;Composicao_BDR_Unit;Mercado;Sigla_Entidade_Administradora;Entidade_Administradora;Data_Inicio_Negociacao;Data_Fim_Negociacao;Segmento;Data_Inicio_Listagem;Data_Fim_Listagem\r\n";
    let row = |code| {
        format!(
            "33.000.167/0001-01;2026-01-01;1;900001;PETROBRAS;Ações;;;{code};;Bolsa;B3;B3 S.A.;1977-01-01;;;;\r\n"
        )
    };
    format!("{header}{}{}", row("PETR3"), row("PETR9"))
}

fn zip(files: &[(&str, &str)]) -> Vec<u8> {
    let files: Vec<(&str, Vec<u8>)> =
        files.iter().map(|(name, text)| (*name, latin(text))).collect();
    zip_bytes(&files)
}

/// An archive with these files.
pub(crate) fn zip_bytes(files: &[(&str, Vec<u8>)]) -> Vec<u8> {
    let mut archive = ZipWriter::new(Cursor::new(Vec::new()));
    for (name, bytes) in files {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(bytes).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// Windows-1252, but for the few characters that differ from Latin-1.
pub(crate) fn latin(text: &str) -> Vec<u8> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'-')).collect()
}

/// The days before this one, as of the next day on.
pub(crate) fn before(day: NaiveDate, days: u64) -> NaiveDate {
    day - Days::new(days)
}
