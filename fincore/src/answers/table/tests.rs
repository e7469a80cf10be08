use super::*;
use crate::values::Date;

fn day(text: &str) -> Date {
    text.parse().unwrap()
}

/// One table of every kind of cell, in a dialect.
fn csv(rows: &[Vec<Cell<'_>>], dialect: Dialect) -> String {
    let mut out = Vec::new();
    write_csv_cells(&["a", "b", "c"], rows.iter().cloned(), dialect, &mut out).unwrap();
    String::from_utf8(out).unwrap()
}

#[test]
fn csv_has_its_header_also_without_rows() {
    assert_eq!(csv(&[], Dialect::Standard), "a,b,c\r\n");
    assert_eq!(csv(&[], Dialect::Brazilian), "\u{feff}a;b;c\r\n");
}

#[test]
fn csv_writes_every_kind_of_cell_in_both_dialects() {
    let (date, tickers) = (day("2024-02-05"), ["PETR3".to_owned(), "PETR4".to_owned()]);
    let rows = [
        vec![Cell::Day(date), Cell::StartOfDay(date), Cell::Figure("-4.0200".parse().unwrap())],
        vec![Cell::Integer(7), Cell::Empty, Cell::List(&tickers)],
        vec!["a,b".into(), "c;d".into(), "e \"f\"\r\ng".into()],
    ];
    assert_eq!(
        csv(&rows, Dialect::Standard),
        "a,b,c\r\n2024-02-05,2024-02-05T00:00:00-03:00,-4.0200\r\n7,,PETR3 PETR4\r\n\
         \"a,b\",c;d,\"e \"\"f\"\"\r\ng\"\r\n"
    );
    assert_eq!(
        csv(&rows, Dialect::Brazilian),
        "\u{feff}a;b;c\r\n05/02/2024;05/02/2024;-4,0200\r\n7;;PETR3 PETR4\r\n\
         a,b;\"c;d\";\"e \"\"f\"\"\r\ng\"\r\n"
    );
}

#[test]
fn csv_protects_texts_that_look_like_formulas_but_not_numbers() {
    // A text, and whether it is protected: in the standard dialect, in the Brazilian one.
    let cases = [
        ("=1+2", true, true),
        ("+55 11", true, true),
        ("-", true, true),
        ("@SUM(A1)", true, true),
        ("-1", false, false),
        ("+12", false, false),
        ("-1.5", false, true),
        ("-1,5", true, false),
        ("-1.", true, true),
        ("-.5", true, true),
        ("-1e5", true, true),
        ("a=b", false, false),
        ("", false, false),
        ("-٣", true, true),
        ("\t=1+2", true, true),
        ("a\t=1", false, false),
    ];
    for (text, standard, brazilian) in cases {
        for (dialect, mark, protected) in
            [(Dialect::Standard, "", standard), (Dialect::Brazilian, "\u{feff}", brazilian)]
        {
            let mut out = Vec::new();
            let rows = [vec![Cell::from(text)]];
            write_csv_cells(&["a"], rows.into_iter(), dialect, &mut out).unwrap();
            let text = if protected { format!("'{text}") } else { text.to_owned() };
            let cell = match &*text {
                // A line of one empty cell would be an empty line.
                "" => "\"\"".to_owned(),
                text if dialect == Dialect::Standard && text.contains(',') => format!("\"{text}\""),
                text => text.to_owned(),
            };
            assert_eq!(String::from_utf8(out).unwrap(), format!("{mark}a\r\n{cell}\r\n"));
        }
    }
    let formula = ["=A1".to_owned(), "X".to_owned()];
    let list = csv(&[vec![Cell::List(&formula), Cell::Empty, Cell::Empty]], Dialect::Standard);
    assert_eq!(list, "a,b,c\r\n'=A1 X,,\r\n");
}

#[cfg(feature = "parquet")]
#[test]
fn parquet_keeps_the_largest_and_smallest_values() {
    use ::parquet::{
        file::reader::{FileReader, SerializedFileReader},
        record::Field,
    };
    let headings = [
        ("figure", ColumnKind::Figure),
        ("day", ColumnKind::Day),
        ("start", ColumnKind::StartOfDay),
        ("n", ColumnKind::Integer),
    ];
    let begin = || super::parquet::Parquet::begin(&headings, &[("dataset", "x".into())]).unwrap();
    let wrong = [
        [Cell::Integer(1), Cell::Empty, Cell::Empty, Cell::Empty],
        [Cell::Empty, Cell::Empty, Cell::Empty, Cell::Integer(u64::MAX)],
    ];
    for row in wrong {
        assert!(begin().row(&row).is_err(), "{row:?}");
    }
    let figures =
        ["999999999999999999", "-999999999999999999", "0.000000000000000001", "-0.10", "0"];
    let mut file = begin();
    for figure in figures {
        let figure = Cell::Figure(figure.parse().unwrap());
        let row = [figure, Cell::Day(Date::MIN), Cell::StartOfDay(Date::MAX), Cell::Integer(7)];
        file.row(&row).unwrap();
    }
    let mut bytes = Vec::new();
    file.end(&mut bytes).unwrap();

    let mut stored = tempfile::tempfile().unwrap();
    std::io::Write::write_all(&mut stored, &bytes).unwrap();
    let reader = SerializedFileReader::new(stored).unwrap();
    let about = reader.metadata().file_metadata();
    assert!(about.created_by().unwrap().starts_with("finserve "));
    let notes = about.key_value_metadata().unwrap();
    assert_eq!((&*notes[0].key, notes[0].value.as_deref()), ("dataset", Some("x")));
    let rows: Vec<_> = reader.get_row_iter(None).unwrap().map(|row| row.unwrap()).collect();
    assert_eq!(rows.len(), figures.len());
    for (row, figure) in rows.into_iter().zip(figures) {
        let fields: Vec<Field> = row.into_columns().into_iter().map(|(_, field)| field).collect();
        let Field::Decimal(decimal) = &fields[0] else { panic!("{fields:?}") };
        let scaled = i128::from_be_bytes(decimal.data().try_into().unwrap());
        let (digits, decimals) = figure.parse::<Decimal>().unwrap().parts();
        assert_eq!(scaled, i128::from(digits) * 10_i128.pow(18 - u32::from(decimals)));
        assert_eq!((decimal.precision(), decimal.scale()), (38, 18));
        // 0001-01-01, and the start of 9999-12-31 in Brasília.
        assert_eq!(fields[1], Field::Date(-719_162));
        assert_eq!(fields[2], Field::TimestampMillis(253_402_225_200_000));
        assert_eq!(fields[3], Field::Long(7));
    }
}

#[test]
fn csv_protects_texts_that_begin_with_a_line_break() {
    let rows = [vec!["\r=1+2".into(), "\n=1+2".into(), "a\r\n=1".into()]];
    let wanted = "a,b,c\r\n\"'\r=1+2\",\"'\n=1+2\",\"a\r\n=1\"\r\n";
    assert_eq!(csv(&rows, Dialect::Standard), wanted);
}
