//! Financial statements as tables with tab-separated fields: the accounts, the statements by the year of their period, and the
//! shares that forms count.
use std::{collections::BTreeMap, fmt::Write, str::FromStr};

use foldhash::{HashMap, HashMapExt};

use crate::{
    statements::{
        AccountNames, Capital, ColumnOrder, Content, FormIndex, FormKey, NewAccount, NewTable,
        Scope, StatementTable, Statements, StoredColumn, StoredForm, code_order, content::ORDERS,
        derive, form::forms_of,
    },
    store::{OnConflict, Snapshot, Tally, Writer},
    values::{Decimal, Error, Form, Result, tsv, whole_number},
};

/// Every account, and every part of equity, by which the statements name them: the number of its line after the header.
const ACCOUNTS: &str = "statement_accounts.tsv";
const ACCOUNTS_HEADER: &str = "code\tname";
/// Followed by the year in which the period of the form ends and `.tsv`.
const STATEMENTS: &str = "statements_";
const STATEMENTS_HEADER: &str =
    "company\tform\tperiod_end\tversion\tscope\ttable\torder\tstart\tend\tpart\taccounts\tvalues";
const SHARES: &str = "statements_shares.tsv";
const SHARES_HEADER: &str = "company\tform\tperiod_end\tversion\tcommon\tpreferred\ttotal\ttreasury_common\ttreasury_preferred\ttreasury_total";

/// Behind the number of an account that is not in CVM's plan of accounts.
const OWN: char = '*';
/// A period without a value of an account.
const ABSENT: &str = "-";

/// The statements of one fill, table by table: accounts come before the statements that name them, shares last.
#[derive(Debug, Default)]
pub(crate) struct BundledStatements {
    accounts: Vec<NewAccount>,
    index: FormIndex,
    statements: Statements,
}

impl BundledStatements {
    /// Stores a table; `None` if it is not one of statements. Stored statements are kept.
    pub(crate) fn store_table(
        &mut self,
        writer: &Writer,
        name: &str,
        table: &str,
    ) -> Result<Option<Tally>> {
        if name == ACCOUNTS {
            let account = |[code, name]: [&str; 2]| Ok((code.to_owned(), name.to_owned()));
            let accounts = tsv::read(name, table, ACCOUNTS_HEADER, account)?;
            // Each twice: of CVM's plan, and a company's own.
            let both = |(code, name): &(String, String)| {
                [true, false].map(|fixed| NewAccount {
                    code: code.clone(),
                    name: name.clone(),
                    fixed,
                })
            };
            self.accounts = accounts.iter().flat_map(both).collect();
            // The bundled index of forms is stored already.
            self.index.add_stored(writer, Form::Dfp)?;
            self.index.add_stored(writer, Form::Itr)?;
            Ok(Some(Tally::default()))
        } else if name == SHARES {
            let shares = tsv::read(name, table, SHARES_HEADER, shares)?;
            self.statements.store_capital(writer, &shares, OnConflict::Keep).map(Some)
        } else if name.starts_with(STATEMENTS) {
            let count = self.accounts.len();
            let columns =
                tsv::read(name, table, STATEMENTS_HEADER, |fields| column(fields, count))?;
            self.store_statements(writer, columns).map(Some)
        } else {
            Ok(None)
        }
    }

    fn store_statements(&mut self, writer: &Writer, columns: Vec<Column>) -> Result<Tally> {
        let mut tables: BTreeMap<(Form, StatementTable, Scope), Vec<(FormKey, Content)>> =
            BTreeMap::new();
        for of_one in columns.chunk_by(|one, other| one.statement == other.statement) {
            let StatementKey { key, scope, table } = of_one[0].statement;
            tables.entry((key.form, table, scope)).or_default().push((key, content(of_one)));
        }
        let mut tally = Tally::default();
        for ((form, table, scope), statements) in tables {
            let accounts = self.accounts.clone();
            let table = NewTable { form, table, scope, accounts, statements };
            tally += self.statements.store(writer, &table, &self.index, OnConflict::Keep)?.tally;
        }
        Ok(tally)
    }

    /// Makes what follows from the statements that are new.
    pub(crate) fn finish(&self, writer: &Writer) -> Result<()> {
        self.statements.finish(writer)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct StatementKey {
    key: FormKey,
    scope: Scope,
    table: StatementTable,
}

/// A line of the table of statements: one period of a statement.
#[derive(Debug)]
struct Column {
    statement: StatementKey,
    column: StoredColumn,
    /// The places of the accounts. Empty for all columns of a statement but the first, which have the same.
    accounts: Vec<i64>,
    values: Vec<Option<Decimal>>,
}

/// The statement whose periods these are.
fn content(columns: &[Column]) -> Content {
    let accounts = columns[0].accounts.clone();
    let values = (0..accounts.len()).flat_map(|row| {
        columns.iter().map(move |column| column.values.get(row).copied().flatten())
    });
    Content {
        values: values.collect(),
        columns: columns.iter().map(|column| column.column).collect(),
        accounts,
    }
}

fn form_key([company, form, period_end, version]: [&str; 4]) -> Result<FormKey> {
    let version_number = whole_number(version);
    Ok(FormKey {
        company: company.parse()?,
        form: tsv::named(form, Form::ALL, Form::name, "a form")?,
        period_end: period_end.parse()?,
        version: version_number.ok_or_else(|| Error::in_file(version, "a version"))?,
    })
}

fn column(
    [company, form, end_of_form, version, scope, table, order, start, end, part, accounts, values]: [&str; 12],
    accounts_known: usize,
) -> Result<Column> {
    let accounts = words(accounts).map(|number| place(number, accounts_known));
    let column = StoredColumn {
        order: tsv::named(order, ORDERS, ColumnOrder::name, "an order")?,
        start: tsv::optional(start)?,
        end: end.parse()?,
        // One more than the place: 0 is no part.
        part: if part.is_empty() { 0 } else { place(part, accounts_known)? + 1 },
    };
    Ok(Column {
        statement: StatementKey {
            key: form_key([company, form, end_of_form, version])?,
            scope: scope.parse()?,
            table: tsv::named(table, StatementTable::ALL, StatementTable::name, "a table")?,
        },
        column,
        accounts: accounts.collect::<Result<_>>()?,
        values: words(values).map(value_or_absent).collect::<Result<_>>()?,
    })
}

fn words(field: &str) -> impl Iterator<Item = &str> {
    field.split(' ').filter(|word| !word.is_empty())
}

/// The place of an account by the number of its line.
fn place(text: &str, known: usize) -> Result<i64> {
    let (number, is_own) = match text.strip_suffix(OWN) {
        Some(number) => (number, 1),
        None => (text, 0),
    };
    let place = whole_number::<usize>(number).and_then(|number| number.checked_sub(1));
    let place = place.map(|place| place * 2 + is_own).filter(|place| *place < known);
    place
        .and_then(|place| i64::try_from(place).ok())
        .ok_or_else(|| Error::in_file(text, "the number of an account"))
}

fn value_or_absent(text: &str) -> Result<Option<Decimal>> {
    if text == ABSENT { Ok(None) } else { Decimal::from_str(text).map(Some) }
}

fn shares([company, form, end, version, counts @ ..]: [&str; 10]) -> Result<(FormKey, Capital)> {
    let mut shares = [0; 6];
    for (count, text) in shares.iter_mut().zip(counts) {
        *count = whole_number(text).ok_or_else(|| Error::in_file(text, "a number of shares"))?;
    }
    Ok((form_key([company, form, end, version])?, Capital::of_counts(shares)))
}

/// The tables of all statements, by name.
pub(crate) fn tables(snapshot: &Snapshot) -> Result<BTreeMap<String, String>> {
    let numbers = AccountNumbers::read(snapshot)?;
    let mut tables = BTreeMap::from([
        (ACCOUNTS.to_owned(), numbers.table()),
        (SHARES.to_owned(), format!("{SHARES_HEADER}\n")),
    ]);
    for company in snapshot.read(derive::companies)? {
        let mut forms = snapshot.read(|connection| forms_of(connection, company, None))?;
        forms.sort_by_key(|form| form.key);
        for form in forms {
            if let (Some(capital), Some(table)) = (form.capital, tables.get_mut(SHARES)) {
                table.push_str(&key_cells(form.key));
                for count in capital.counts() {
                    let _ = write!(table, "\t{count}");
                }
                table.push('\n');
            }
            let year = &form.key.period_end.to_string()[..4];
            let table = tables
                .entry(format!("{STATEMENTS}{year}.tsv"))
                .or_insert_with(|| format!("{STATEMENTS_HEADER}\n"));
            write_statements(table, snapshot, &form, &numbers)?;
        }
    }
    Ok(tables)
}

fn key_cells(key: FormKey) -> String {
    format!("{}\t{}\t{}\t{}", key.company, key.form.name(), key.period_end, key.version)
}

fn write_statements(
    lines: &mut String,
    snapshot: &Snapshot,
    form: &StoredForm,
    numbers: &AccountNumbers,
) -> Result<()> {
    for (scope, table) in &form.tables {
        let content = snapshot.read(|connection| form.content(connection, *scope, *table))?;
        for (place, column) in content.columns.iter().enumerate() {
            let start = column.start.map(|day| day.to_string()).unwrap_or_default();
            let (order, end) = (column.order.name(), column.end);
            let part = if column.part == 0 { String::new() } else { numbers.text(column.part) };
            let _ = write!(
                lines,
                "{}\t{}\t{}\t{order}\t{start}\t{end}\t{part}\t",
                key_cells(form.key),
                scope.name(),
                table.name()
            );
            if place == 0 {
                let accounts = content.accounts.iter().map(|account| numbers.text(*account));
                lines.push_str(&accounts.collect::<Vec<_>>().join(" "));
            }
            let values = (0..content.accounts.len()).map(|row| {
                content.value(row, place).map_or(ABSENT.to_owned(), |value| value.to_string())
            });
            let _ = writeln!(lines, "\t{}", values.collect::<Vec<_>>().join(" "));
        }
    }
    Ok(())
}

/// The lines of accounts in their table, by their ids in the file.
struct AccountNumbers {
    lines: HashMap<i64, usize>,
    /// Code and name of each, in the order of the table.
    accounts: Vec<(String, String)>,
}

impl AccountNumbers {
    fn read(snapshot: &Snapshot) -> Result<AccountNumbers> {
        let mut all = snapshot.read(AccountNames::read_all)?;
        all.sort_by_cached_key(|(_, code, name)| (code_order(code), name.clone()));
        let mut lines = HashMap::with_capacity(all.len());
        let mut accounts = Vec::with_capacity(all.len());
        for (id, code, name) in all {
            accounts.push((code, name));
            lines.insert(id, accounts.len());
        }
        Ok(AccountNumbers { lines, accounts })
    }

    fn table(&self) -> String {
        let mut table = format!("{ACCOUNTS_HEADER}\n");
        for (code, name) in &self.accounts {
            let _ = writeln!(table, "{code}\t{name}");
        }
        table
    }

    /// How a statement names an account that it stores as this number.
    fn text(&self, stored: i64) -> String {
        let line = self.lines.get(&(stored >> 1)).copied().unwrap_or_default();
        if stored & 1 == 1 { line.to_string() } else { format!("{line}{OWN}") }
    }
}

#[cfg(test)]
mod tests;
