//! Every dataset in every format, read back and held against the rows of the library.
use super::*;
use crate::{
    answers::table::{Row, cells, headings},
    companies::{self, company},
    filings::{self, queries},
    market,
    values::Pair,
};

/// A cell of a row, in an owned form.
#[derive(Clone, Debug, PartialEq)]
enum Value {
    Empty,
    Text(String),
    Integer(u64),
    /// With its published digits.
    Figure(String),
    Day(Date),
    StartOfDay(Date),
    List(Vec<String>),
}

fn cell_values<R: Row>(row: &R) -> Vec<Value> {
    let value = |cell: Cell<'_>| match cell {
        Cell::Empty => Value::Empty,
        Cell::Text(text) => Value::Text(text.into_owned()),
        Cell::Integer(number) => Value::Integer(number),
        Cell::Truth(is_so) => Value::Text(is_so.to_string()),
        Cell::Figure(figure) => Value::Figure(figure.to_string()),
        Cell::Calculated(figure) => Value::Figure(figure.to_string()),
        Cell::Day(day) => Value::Day(day),
        Cell::StartOfDay(day) => Value::StartOfDay(day),
        Cell::List(texts) => Value::List(texts.to_vec()),
    };
    cells(row).into_iter().map(value).collect()
}

/// The JSON of a row of a list, with the origin, which lists leave out where it is published.
fn with_origin<R: serde::Serialize>(row: &R) -> String {
    let line = serde_json::to_string(row).unwrap();
    if line.contains("\"origin\":") {
        line
    } else {
        line.replacen('}', ",\"origin\":\"published\"}", 1)
    }
}

/// The rows of a dataset by the functions that list all of them, as cells and as JSON.
fn expected(snapshot: &Snapshot, dataset: Dataset) -> (Vec<Vec<Value>>, Vec<String>) {
    let (mut rows, mut json) = (Vec::new(), Vec::new());
    match dataset {
        Dataset::One(number) => {
            for rate in market::all(snapshot, number).unwrap() {
                rows.push(cell_values(&rate));
                json.push(with_origin(&rate));
            }
        }
        Dataset::Statements | Dataset::Financials => unreachable!("tested with statements"),
        Dataset::Fx => {
            for currency in ["EUR", "USD"] {
                let pair = Pair::in_reais(currency.parse().unwrap());
                for quote in market::all_quotes(snapshot, pair).unwrap() {
                    rows.push(cell_values(&quote));
                    json.push(with_origin(&quote));
                }
            }
        }
        Dataset::Series => {
            for number in [1, 12, 432, 4389, 10813, 21619, 21620, 999_999] {
                let name = Dataset::One(number).to_string();
                for rate in market::all(snapshot, number).unwrap() {
                    let mut row = cell_values(&rate);
                    row.splice(0..0, [Value::Integer(number.into()), Value::Text(name.clone())]);
                    rows.push(row);
                    let line = with_origin(&rate);
                    let key = format!("{{\"series\":{number},\"name\":\"{name}\",");
                    json.push(line.replacen('{', &key, 1));
                }
            }
        }
        Dataset::Companies => {
            for company in companies::all(snapshot).unwrap() {
                rows.push(cell_values(&company));
                json.push(serde_json::to_string(&company).unwrap());
            }
        }
        Dataset::Filings => {
            for filing in filings::all(snapshot, &queries::List::default()).unwrap() {
                let filing = filing.unwrap();
                rows.push(cell_values(&filing));
                json.push(serde_json::to_string(&filing).unwrap());
            }
        }
    }
    (rows, json)
}

const DATASETS: [Dataset; 6] = [
    Dataset::One(432),
    Dataset::One(21620),
    Dataset::Series,
    Dataset::Fx,
    Dataset::Companies,
    Dataset::Filings,
];

/// Names that every format has to write with care.
const ODD: [&str; 7] = [
    "=cmd|' /C calc'!A0",
    "a \"b\" c",
    "a;b,c",
    "line\r\nbreak\nand\ttab",
    "-1.5",
    "@SÃO PAULO 🚀",
    "",
];

/// More rows than a part has, future days, series of all sorts, and odd names.
fn full_catalogue() -> (tempfile::TempDir, Catalogue) {
    let (dir, catalogue) = temporary();
    let first = day("2024-01-01").day_number();
    let of_days = |value: &dyn Fn(i32) -> String| {
        let rows = (0..1203).map(|n| (Date::from_day_number(first + n).unwrap(), value(n)));
        sgs(&rows.collect::<Vec<_>>())
    };
    let filings =
        (1..1200).map(|n| (n, format!("assunto {n}"), day("2026-03-04").days_before(n / 9)));
    let companies = (1..700).map(|code| (code, format!("COMPANHIA {code}")));
    let mut files = vec![
        ("cad_cia_aberta.csv".to_owned(), registry(&companies.collect::<Vec<_>>())),
        ("ipe_cia_aberta_2026.csv".to_owned(), ipe(&filings.collect::<Vec<_>>())),
        ("bcdata.sgs.432.json".to_owned(), of_days(&|n| format!("{}.{:03}0", n / 99, n % 99))),
        ("bcdata.sgs.12.json".to_owned(), of_days(&|n| format!("0.0{n:04}"))),
        ("bcdata.sgs.999999.json".to_owned(), of_days(&|n| format!("-{n}"))),
    ];
    for (series, price) in [(1, "5.2"), (10813, "5.1"), (21619, "6.2"), (21620, "6.10")] {
        files.push((format!("bcdata.sgs.{series}.json"), of_days(&|n| format!("{price}{n:03}"))));
    }
    let files: Vec<_> = files.iter().map(|(name, text)| (&**name, text.clone())).collect();
    import(&catalogue, noon(), &files);
    let writer = catalogue.write(noon()).unwrap();
    for (code, name) in (1_u32..).zip(ODD) {
        const COMPANY: &str = "UPDATE company SET name = ?2, trade_name = ?2, sector = ?2,
            tickers = 'PETR3 PETR4' WHERE id = ?1";
        const FILING: &str = "UPDATE filing SET subject = ?2, reference_day = 738000 + ?1
            WHERE id = ?1";
        for sql in [COMPANY, FILING] {
            assert_eq!(writer.connection().execute(sql, (code, name)).unwrap(), 1);
        }
    }
    writer.commit().unwrap();
    (dir, catalogue)
}

const TODAY: &str = "2026-11-15";

#[test]
fn ndjson_has_the_json_of_every_row_in_the_order_of_the_lists() {
    let (_dir, catalogue) = full_catalogue();
    let snapshot = || catalogue.snapshot(day(TODAY)).unwrap();
    for dataset in DATASETS {
        let (_, json) = expected(&snapshot(), dataset);
        assert!(json.len() > 600, "{dataset}");
        let (bytes, steps) = export_all(snapshot(), Query::new(dataset, Format::Ndjson)).unwrap();
        assert!(bytes.ends_with(b"}\n"));
        let lines: Vec<_> = str::from_utf8(&bytes).unwrap().lines().collect();
        assert_eq!(lines, json, "{dataset}");
        assert_eq!(steps, json.len().div_ceil(500), "{dataset}");
    }
}

#[test]
fn from_and_to_cut_days_and_delivery_dates() {
    let (_dir, catalogue) = full_catalogue();
    let snapshot = || catalogue.snapshot(day(TODAY)).unwrap();
    for dataset in DATASETS.into_iter().filter(|dataset| *dataset != Dataset::Companies) {
        let (from, to) = (day("2025-12-05"), day("2026-02-27"));
        let (_, json) = expected(&snapshot(), dataset);
        let within = |line: &&String| {
            let date = line.split("\"date\":\"").nth(1).unwrap()[..10].parse().unwrap();
            (from..=to).contains(&date)
        };
        let want: Vec<_> = json.iter().filter(within).cloned().collect();
        assert!(want.len() > 80, "{dataset}");
        let query = Query { from: Some(from), to: Some(to), ..Query::new(dataset, Format::Ndjson) };
        assert_eq!(lines(snapshot(), query).unwrap(), want, "{dataset}");
    }
}

#[test]
fn csv_read_back_is_every_cell_of_every_row() {
    let (_dir, catalogue) = full_catalogue();
    let snapshot = || catalogue.snapshot(day(TODAY)).unwrap();
    for dataset in DATASETS {
        for dialect in [Dialect::Standard, Dialect::Unix, Dialect::Brazilian] {
            let (rows, _) = expected(&snapshot(), dataset);
            let (bytes, _) =
                export_all(snapshot(), Query::new(dataset, Format::Csv(dialect))).unwrap();
            let (mark, delimiter) = match dialect {
                Dialect::Standard | Dialect::Unix => ("", b','),
                Dialect::Brazilian => ("\u{feff}", b';'),
            };
            let table = bytes.strip_prefix(mark.as_bytes()).unwrap();
            let mut reader = ::csv::ReaderBuilder::new().delimiter(delimiter).from_reader(table);
            assert!(!reader.headers().unwrap().is_empty());
            let read: Vec<Vec<String>> = reader
                .records()
                .map(|record| record.unwrap().iter().map(str::to_owned).collect())
                .collect();
            let want: Vec<Vec<String>> =
                rows.iter().map(|row| row.iter().map(|v| text(v, dialect)).collect()).collect();
            assert_eq!(read, want, "{dataset} {dialect:?}");
        }
    }
}

/// A cell as CSV should have it.
fn text(value: &Value, dialect: Dialect) -> String {
    let brazilian = dialect == Dialect::Brazilian;
    match value {
        Value::Empty => String::new(),
        // Of the odd names, this one is a number in one dialect only.
        Value::Text(text) if text == "-1.5" && !brazilian => text.clone(),
        Value::Text(text) if text.starts_with(['=', '+', '-', '@']) => format!("'{text}"),
        Value::Text(text) => text.clone(),
        Value::Integer(number) => number.to_string(),
        Value::Figure(figure) if brazilian => figure.replace('.', ","),
        Value::Figure(figure) => figure.clone(),
        Value::Day(day) | Value::StartOfDay(day) if brazilian => {
            let text = day.to_string();
            format!("{}/{}/{}", &text[8..], &text[5..7], &text[..4])
        }
        Value::Day(day) => day.to_string(),
        Value::StartOfDay(day) => format!("{day}T00:00:00-03:00"),
        Value::List(texts) => texts.join(" "),
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_read_back_is_every_cell_of_every_row() {
    use parquet::file::reader::{FileReader, SerializedFileReader};
    let (_dir, catalogue) = full_catalogue();
    let snapshot = || catalogue.snapshot(day(TODAY)).unwrap();
    for dataset in DATASETS {
        let (rows, _) = expected(&snapshot(), dataset);
        let (bytes, _) = export_all(snapshot(), Query::new(dataset, Format::Parquet)).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let notes = reader.metadata().file_metadata().key_value_metadata().unwrap().clone();
        let notes: Vec<_> = notes.into_iter().map(|note| (note.key, note.value)).collect();
        let note = |name: &str, value: &str| (name.to_owned(), Some(value.to_owned()));
        assert_eq!(notes, [note("dataset", &dataset.to_string()), note("version", "2")]);
        let read: Vec<Vec<Value>> = reader
            .get_row_iter(None)
            .unwrap()
            .map(|row| row.unwrap().into_columns().into_iter().map(|(_, f)| value(f)).collect())
            .collect();
        let want: Vec<Vec<Value>> =
            rows.into_iter().map(|row| row.into_iter().map(scale).collect()).collect();
        assert!(read == want, "{dataset}");
    }
}

/// Parquet has the value of a figure, not its digits.
#[cfg(feature = "parquet")]
fn scale(value: Value) -> Value {
    match value {
        Value::Figure(figure) => {
            let (digits, decimals) =
                figure.parse::<crate::values::decimal::Decimal>().unwrap().parts();
            let scaled = i128::from(digits) * 10_i128.pow(18 - u32::from(decimals));
            Value::Figure(scaled.to_string())
        }
        other => other,
    }
}

#[cfg(feature = "parquet")]
fn value(field: parquet::record::Field) -> Value {
    use parquet::record::Field;
    // The number of 1970-01-01.
    let date = |days: i64| Date::from_day_number(i32::try_from(days + 719_163).unwrap()).unwrap();
    match field {
        Field::Null => Value::Empty,
        Field::Str(text) => Value::Text(text),
        Field::Long(number) => Value::Integer(number.unsigned_abs()),
        Field::Decimal(decimal) => {
            Value::Figure(i128::from_be_bytes(decimal.data().try_into().unwrap()).to_string())
        }
        Field::Date(days) => Value::Day(date(days.into())),
        Field::TimestampMillis(millis) => {
            assert_eq!(millis % 86_400_000, 3 * 3_600_000, "midnight at -03:00");
            Value::StartOfDay(date(millis.div_euclid(86_400_000)))
        }
        Field::ListInternal(list) => {
            let text = |field: &Field| match field {
                Field::Str(text) => text.clone(),
                other => panic!("{other:?}"),
            };
            Value::List(list.elements().iter().map(text).collect())
        }
        other => panic!("{other:?}"),
    }
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_has_groups_of_four_thousand_rows_and_is_valid_without_rows() {
    use parquet::file::{
        metadata::RowGroupMetaData,
        reader::{FileReader, SerializedFileReader},
    };
    let (_dir, catalogue) = temporary();
    let first = day("1970-01-01").day_number();
    let rows = (0..10_600).map(|n| (Date::from_day_number(first + n).unwrap(), n.to_string()));
    import(&catalogue, noon(), &[("bcdata.sgs.432.json", sgs(&rows.collect::<Vec<_>>()))]);
    for (dataset, groups) in
        [(Dataset::One(432), vec![4_000, 4_000, 2_600]), (Dataset::Filings, vec![])]
    {
        let snapshot = catalogue.snapshot(Date::MAX).unwrap();
        let (bytes, steps) = export_all(snapshot, Query::new(dataset, Format::Parquet)).unwrap();
        assert_eq!(steps, groups.len().max(1));
        let mut file = tempfile::tempfile().unwrap();
        std::io::Write::write_all(&mut file, &bytes).unwrap();
        let reader = SerializedFileReader::new(file).unwrap();
        let groups_read = reader.metadata().row_groups().iter();
        let found: Vec<i64> = groups_read.map(RowGroupMetaData::num_rows).collect();
        assert_eq!(found, groups);
    }
}

#[test]
fn an_empty_export_has_its_header() {
    let (_dir, catalogue) = temporary();
    let snapshot = || catalogue.snapshot(Date::MAX).unwrap();
    let csv = Query::new(Dataset::Fx, Format::Csv(Dialect::Brazilian));
    assert_eq!(lines(snapshot(), csv).unwrap(), ["\u{feff}date;pair;buy;sell;origin"]);
    let ndjson = Query::new(Dataset::Companies, Format::Ndjson);
    assert_eq!(lines(snapshot(), ndjson).unwrap(), [""; 0]);
    assert_eq!(headings::<company::Company>().len(), 9);
}
