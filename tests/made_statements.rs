//! Archives of financial statements as CVM publishes them, made of a few figures.
use std::{
    collections::BTreeMap,
    fmt::Write as _,
    io::{Cursor, Write as _},
};

use zip::{ZipWriter, write::SimpleFileOptions};

/// The company that files them, which the registry knows: Petrobras.
const COMPANY: &str = "33.000.167/0001-01";
const CODE: &str = "009512";

/// An archive as it grows: an index of forms, and tables by name.
pub(crate) struct Archive {
    form: &'static str,
    year: u16,
    index: String,
    tables: BTreeMap<String, String>,
}

/// A form of an archive.
pub(crate) struct Filed<'a> {
    archive: &'a mut Archive,
    end: &'static str,
    version: u32,
    scale: &'static str,
}

/// An account with its value; of changes of equity, the part of it comes first.
pub(crate) type Line = (&'static str, &'static str, &'static str);

impl Archive {
    /// An archive without forms: `dfp` or `itr` of a year.
    pub(crate) fn new(form: &'static str, year: u16) -> Archive {
        let index =
            "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;CATEG_DOC;ID_DOC;DT_RECEB;LINK_DOC\r\n";
        Archive { form, year, index: index.into(), tables: BTreeMap::new() }
    }

    /// A form in the index, whose statements may follow. The number of its document is unique.
    pub(crate) fn form(
        &mut self,
        (end, version): (&'static str, u32),
        (document, received): (u32, &str),
    ) -> Filed<'_> {
        let category = self.form.to_uppercase();
        writeln!(
            self.index,
            "{COMPANY};{end};{version};PETROBRAS;{CODE};{category};{document};{received};http://www.rad.cvm.gov.br/{document}\r"
        )
        .unwrap();
        Filed { archive: self, end, version, scale: "MIL" }
    }

    /// Gives a column of a table another name.
    pub(crate) fn rename_column(&mut self, table: &str, column: &str, name: &str) {
        let text = self.tables.get_mut(table).unwrap();
        *text = text.replacen(column, name, 1);
    }

    pub(crate) fn name(&self) -> String {
        format!("{}_cia_aberta_{}.zip", self.form, self.year)
    }

    /// The archive as a file.
    pub(crate) fn bytes(&self) -> Vec<u8> {
        let (form, year) = (self.form, self.year);
        let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
        let index = (format!("{form}_cia_aberta_{year}.csv"), &self.index);
        let named = |(table, text)| (format!("{form}_cia_aberta_{table}_{year}.csv"), text);
        for (name, text) in [index].into_iter().chain(self.tables.iter().map(named)) {
            zip.start_file(name, SimpleFileOptions::default()).unwrap();
            // All characters of the figures are in Latin-1, which Unicode begins with.
            let latin: Vec<u8> =
                text.chars().map(|c| u8::try_from(u32::from(c)).unwrap()).collect();
            zip.write_all(&latin).unwrap();
        }
        zip.finish().unwrap().into_inner()
    }
}

impl Filed<'_> {
    /// The same in units instead of thousands.
    pub(crate) fn in_units(self) -> Self {
        Filed { scale: "UNIDADE", ..self }
    }

    /// The accounts of a table (`DRE_con`) from a first day on; of a balance sheet, without one.
    pub(crate) fn lines(self, table: &str, start: &str, lines: &[Line]) -> Self {
        let end = self.end;
        self.column(table, "ÚLTIMO", (start, end), lines)
    }

    /// Those of the year before, for comparison.
    pub(crate) fn before(self, table: &str, period: (&str, &str), lines: &[Line]) -> Self {
        self.column(table, "PENÚLTIMO", period, lines)
    }

    fn column(
        self,
        table: &str,
        order: &str,
        (start, period_end): (&str, &str),
        lines: &[Line],
    ) -> Self {
        let (is_balance, has_parts) = (table.starts_with("BP"), table.starts_with("DMPL"));
        let beginning = if is_balance { "" } else { "DT_INI_EXERC;" };
        let part = if has_parts { "COLUNA_DF;" } else { "" };
        let text = self.archive.tables.entry(table.to_owned()).or_insert_with(|| {
            format!(
                "CNPJ_CIA;DT_REFER;VERSAO;DENOM_CIA;CD_CVM;GRUPO_DFP;MOEDA;ESCALA_MOEDA;ORDEM_EXERC;\
                 {beginning}DT_FIM_EXERC;{part}CD_CONTA;DS_CONTA;VL_CONTA;ST_CONTA_FIXA\r\n"
            )
        });
        let Filed { end, version, scale, .. } = self;
        for (code, name, value) in lines {
            let start = if is_balance { String::new() } else { format!("{start};") };
            let part = if has_parts { "Patrimônio Líquido;" } else { "" };
            let fixed = if code.len() < 6 { 'S' } else { 'N' };
            writeln!(
                text,
                "{COMPANY};{end};{version};PETROBRAS;{CODE};DF;REAL;{scale};{order};\
                 {start}{period_end};{part}{code};{name};{value};{fixed}\r"
            )
            .unwrap();
        }
        self
    }
}
