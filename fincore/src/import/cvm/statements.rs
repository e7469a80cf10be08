//! Financial statements: the tables `dfp_cia_aberta_DRE_con_2024.csv`, one of each kind and scope, of all companies.
use std::{collections::BTreeSet, io::Read};

use foldhash::{HashMap, HashMapExt};

use crate::{
    import::{
        Contradictions, FileScan, ImportError, Imported, Refusal, StoreRows,
        cvm::{
            bad_rows::{FewBad, check_contradictions},
            columns::Field,
            statement_rows::{Scale, StatementRows, parse_value},
            table::Table,
        },
        row_store::ParsedRows,
    },
    statements::{
        ColumnOrder, FormKey, NewAccount, NewTable, Scope, StatementTable, StoredColumn,
        account::is_per_share,
    },
    values::{Cnpj, CvmCode, Error, Form},
};

/// The form of a file, by its name: `dfp_cia_aberta_DRE_con_2024.csv`.
pub(crate) fn form_of(file: &str) -> Option<Form> {
    let file = file.to_ascii_lowercase();
    [Form::Dfp, Form::Itr]
        .into_iter()
        .find(|form| file.starts_with(&format!("{}_cia_aberta", form.name())))
}

/// The form, table and scope of a file, by its name.
pub(crate) fn table_of(file: &str) -> Option<(Form, StatementTable, Scope)> {
    let form = form_of(file)?;
    let rest = file.get("dfp_cia_aberta_".len()..)?.to_ascii_uppercase();
    let table = StatementTable::ALL.into_iter().find(|table| rest.starts_with(table.name()))?;
    let end = table.name().len();
    let scope = match rest.get(end..end + 4)? {
        "_CON" => Scope::Consolidated,
        "_IND" => Scope::Individual,
        _ => return None,
    };
    Some((form, table, scope))
}

/// Reads a table of statements that was scanned before, by the name of its file.
pub(crate) fn read(
    name: &str,
    scan: &FileScan,
    source: impl Read,
    store: &mut StoreRows<'_>,
) -> Result<Imported, ImportError> {
    let Some((form, table, scope)) = table_of(name) else {
        let reason = "statements of which neither form nor table are known: keep the name of the file as CVM publishes it";
        return Err(Refusal::whole(format!("{reason} (dfp_cia_aberta_DRE_con_2024.csv)")).into());
    };
    let mut rows = Table::open(scan, source, "statements")?;
    check_columns(table, rows.absent_columns())?;
    let mut reader = TableReader::new(form, table);
    rows.visit_batches(|line, fields| reader.add(line, fields))?;
    let mut imported = rows.report_with(FewBad::Five, "financial statements")?;
    if rows.row_count() == 0 {
        return Ok(imported);
    }
    let companies = std::mem::take(&mut reader.companies);
    imported.notes.extend(reader.off_days_note());
    let (table, contradictions) = reader.finish(scope, &mut imported);
    imported
        .notes
        .extend(contradictions.note_of("with another value of the same account: the last is kept"));
    let reason = "the same account appears twice with different values";
    check_contradictions(&contradictions, FewBad::Five, rows.row_count(), reason)?;
    store(ParsedRows::Statements { table, companies }, &mut imported)?;
    Ok(imported)
}

/// Flows need a beginning, and changes of equity the part of it.
fn check_columns(table: StatementTable, missing: &[&str]) -> Result<(), Refusal> {
    let is_balance = matches!(table, StatementTable::Assets | StatementTable::Liabilities);
    let needed =
        [("DT_INI_EXERC", !is_balance), ("COLUNA_DF", table == StatementTable::EquityChanges)];
    match needed.into_iter().find(|(column, needed)| *needed && missing.contains(column)) {
        Some((column, _)) => Err(Refusal::at(1, format!("the column {column} is missing"))),
        None => Ok(()),
    }
}

/// The statements of a table, as its rows come in.
struct TableReader {
    form: Form,
    table: StatementTable,
    /// The places of accounts, by their fields as they are in the file.
    places: HashMap<Vec<u8>, usize>,
    accounts: Vec<NewAccount>,
    statements: HashMap<FormKey, StatementRows>,
    /// The companies of each CNPJ.
    companies: HashMap<Cnpj, Vec<CvmCode>>,
    /// Forms with a period of their own that ends on another day than they do.
    off_days: BTreeSet<FormKey>,
}

impl TableReader {
    fn new(form: Form, table: StatementTable) -> TableReader {
        TableReader {
            form,
            table,
            places: HashMap::new(),
            accounts: Vec::new(),
            statements: HashMap::new(),
            companies: HashMap::new(),
            off_days: BTreeSet::new(),
        }
    }

    fn add(&mut self, line: usize, fields: [Field<'_>; 14]) -> Result<(), Error> {
        let [
            cnpj,
            reference,
            version,
            company,
            currency,
            scale,
            order,
            start,
            end,
            part,
            code,
            name,
            value,
            fixed,
        ] = fields;
        let key = FormKey {
            company: company.value()?,
            form: self.form,
            period_end: reference.value()?,
            version: parse_version(version)?,
        };
        check_currency(currency)?;
        let scale = scale.text().parse::<Scale>()?;
        let column = StoredColumn {
            order: parse_order(order)?,
            start: if start.is_empty() { None } else { Some(start.value()?) },
            end: end.value()?,
            part: 0,
        };
        self.check_dates(column)?;
        check_code(&code.text())?;
        let scale = if is_per_share(&code.text()) { Scale::Units } else { scale };
        let value = parse_value(&value.text(), scale)?;
        let account = self.place(code, name, fixed)?;
        let part = match self.table {
            StatementTable::EquityChanges => self.part(part)?,
            _ => 0,
        };
        if column.order == ColumnOrder::Last && column.end != key.period_end {
            self.off_days.insert(key);
        }
        if !self.statements.contains_key(&key) {
            self.note_company(cnpj, key.company);
        }
        let statement = self.statements.entry(key).or_default();
        statement.add(line, account, StoredColumn { part, ..column }, value)
    }

    fn check_dates(&self, column: StoredColumn) -> Result<(), Error> {
        let is_balance = matches!(self.table, StatementTable::Assets | StatementTable::Liabilities);
        match column.start {
            None if !is_balance => Err(Error::in_file("", "the first day of a period")),
            Some(start) if start > column.end => {
                Err(Error::in_file(&column.end.to_string(), format!("a day after {start}")))
            }
            _ => Ok(()),
        }
    }

    /// The place of an account. Its name is decoded once.
    fn place(
        &mut self,
        code: Field<'_>,
        name: Field<'_>,
        fixed: Field<'_>,
    ) -> Result<usize, Error> {
        let raw = [code.bytes(), b";", name.bytes(), b";", fixed.bytes()].concat();
        if let Some(place) = self.places.get(&raw) {
            return Ok(*place);
        }
        let account = NewAccount {
            code: code.text().trim().to_owned(),
            name: name.name().into_owned(),
            // A table without the column has only accounts whose place in the plan is not known.
            fixed: fixed.text().trim() == "S",
        };
        self.accounts.push(account);
        self.places.insert(raw, self.accounts.len() - 1);
        Ok(self.accounts.len() - 1)
    }

    /// The number of a part of equity; 0 is none.
    fn part(&mut self, part: Field<'_>) -> Result<i64, Error> {
        let raw = [b"part;", part.bytes()].concat();
        let place = match self.places.get(&raw) {
            Some(place) => *place,
            None => {
                let name = part.required_name("a part of equity")?.into_owned();
                self.accounts.push(NewAccount { code: String::new(), name, fixed: true });
                self.places.insert(raw, self.accounts.len() - 1);
                self.accounts.len() - 1
            }
        };
        Ok(i64::try_from(place).unwrap_or_default() + 1)
    }

    fn note_company(&mut self, cnpj: Field<'_>, company: CvmCode) {
        let Ok(cnpj) = cnpj.value() else { return };
        let codes = self.companies.entry(cnpj).or_default();
        if !codes.contains(&company) {
            codes.push(company);
        }
    }

    fn off_days_note(&self) -> Option<String> {
        let (first, count) = (self.off_days.first()?, self.off_days.len());
        let what =
            "forms with a period that ends on another day than they do, which is in exports only";
        Some(format!("{what}: {count} ({first})"))
    }

    /// The statements of all forms in the order of their keys, which keeps those of a company together. Those that are no
    /// tables are counted in the report.
    fn finish(self, scope: Scope, imported: &mut Imported) -> (NewTable, Contradictions) {
        let TableReader { form, table, accounts, statements, .. } = self;
        let mut contradictions = Contradictions::default();
        let mut building: Vec<_> = statements.into_iter().collect();
        building.sort_by_key(|(key, _)| *key);
        let (mut statements, mut scattered) = (Vec::with_capacity(building.len()), Vec::new());
        for (key, building) in building {
            match building.finish(&accounts, &mut contradictions) {
                Some(content) => statements.push((key, content)),
                None => scattered.push(key),
            }
        }
        if let Some(first) = scattered.first() {
            let reason = format!("statements whose accounts are scattered over periods ({first})");
            imported.left_out.push((scattered.len(), reason));
        }
        (NewTable { form, table, scope, accounts, statements }, contradictions)
    }
}

/// Codes are numbers with dots between them.
fn check_code(code: &str) -> Result<(), Error> {
    let code = code.trim();
    let is_number = |part: &str| {
        (1..=9).contains(&part.len()) && part.bytes().all(|byte| byte.is_ascii_digit())
    };
    if code.len() <= 40 && code.split('.').all(is_number) {
        return Ok(());
    }
    Err(Error::in_file(code, "the code of an account (3.01)"))
}

/// The number of a version; forms have a few.
pub(crate) fn parse_version(version: Field<'_>) -> Result<u32, Error> {
    const WHAT: &str = "the version of a form";
    let number = version.number(WHAT)?;
    if number < 1 << 16 { Ok(number) } else { Err(Error::in_file(&version.text(), WHAT)) }
}

fn check_currency(currency: Field<'_>) -> Result<(), Error> {
    let text = currency.text();
    if currency.is_missing() || matches!(text.trim(), "REAL" | "BRL") {
        return Ok(());
    }
    Err(Error::in_file(&text, "the currency of statements (REAL)"))
}

fn parse_order(order: Field<'_>) -> Result<ColumnOrder, Error> {
    match order.text().trim() {
        "ÚLTIMO" | "ULTIMO" => Ok(ColumnOrder::Last),
        "PENÚLTIMO" | "PENULTIMO" => Ok(ColumnOrder::Previous),
        "ANTEPENÚLTIMO" | "ANTEPENULTIMO" => Ok(ColumnOrder::Earlier),
        other => Err(Error::in_file(other, "a period of a form (ÚLTIMO, PENÚLTIMO)")),
    }
}
