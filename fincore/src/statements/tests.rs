use super::*;
use crate::{
    catalogue::Catalogue,
    import::{Import, sample_files::upstream},
    types::Limit,
};

fn import(catalogue: &Catalogue, files: &[(&str, Vec<u8>)]) -> Vec<crate::import::Imported> {
    let mut import = Import::begin(catalogue, "2026-11-01T12:00:00Z".parse().unwrap()).unwrap();
    let imported = files.iter().map(|(name, bytes)| import.file(name, bytes).unwrap()).collect();
    import.commit().unwrap();
    imported
}

#[test]
fn official_archives_are_read() {
    let Some(folder) = upstream("cvm") else { return };
    let dir = tempfile::tempdir().unwrap();
    let catalogue = Catalogue::open(dir.path().join("catalogue.db")).unwrap();
    let files = [
        ("dfp_cia_aberta_2025.zip", std::fs::read(folder.join("dfp_cia_aberta_2025.zip")).unwrap()),
        (
            "itr_cia_aberta_2026.zip",
            std::fs::read(folder.join("statements/itr-2026/itr_cia_aberta_2026.zip")).unwrap(),
        ),
    ];
    let imported = import(&catalogue, &files);
    assert!(imported.iter().all(|file| file.remarks().is_empty()), "{imported:?}");
    let snapshot = catalogue.snapshot("2026-11-01".parse().unwrap()).unwrap();
    let page = list(&snapshot, FormsQuery::new("23981".parse().unwrap())).unwrap();
    assert_eq!(page.total, 2);
    assert_eq!(page.data[0].kinds, StatementKind::ALL);
    assert_eq!(page.data[0].filing_id.unwrap().to_string(), "dfp-148167");
    // Of Unipar, both quarters of 2026 were filed as such.
    let query = StatementQuery {
        depth: Some(Limit::new(2).unwrap()),
        period: Period::Quarter,
        ..StatementQuery::new("11592".parse().unwrap(), StatementKind::Income)
    };
    let page = statement(&snapshot, query).unwrap();
    let revenue = |row: &Statement| (row.period_end.to_string(), row.accounts[0].value.to_string());
    let quarters: Vec<_> = page.data.iter().map(revenue).collect();
    let wanted = [("2026-06-30", "1495676000"), ("2026-03-31", "1238235000")];
    assert_eq!(quarters, wanted.map(|(end, value)| (end.to_owned(), value.to_owned())));
}
