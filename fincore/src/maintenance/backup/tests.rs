//! Backups that are made while data changes, damaged, and put back.
use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::PathBuf,
};

use super::*;
use crate::{
    accounts::keys::{self, Registration},
    store::{Catalogue, catalogue::noon},
    values::Plan,
};

/// A data directory with one key and an empty catalogue.
fn directory() -> (tempfile::TempDir, Accounts, Catalogue) {
    let dir = tempfile::tempdir().unwrap();
    let accounts = Accounts::open(dir.path().join(ACCOUNTS)).unwrap();
    register(&accounts);
    let catalogue = Catalogue::open(dir.path().join(CATALOGUE)).unwrap();
    (dir, accounts, catalogue)
}

fn register(accounts: &Accounts) {
    let who =
        Registration { name: "Ana".parse().unwrap(), email: "ana@example.com".parse().unwrap() };
    keys::issue(accounts, &who, Plan::Free, noon()).unwrap();
}

fn back_up(dir: &Path, contents: Contents) -> (PathBuf, Manifest) {
    let target = dir.join("backup.zip");
    let manifest = write(dir, None, &target, contents, noon(), |_| ()).unwrap();
    (target, manifest)
}

fn put_back(backup: &Path, dir: &Path, existing: Existing) -> Result<Restored> {
    restore(backup, dir, existing, noon(), |_| ())
}

#[test]
fn a_backup_of_files_in_use_is_put_back_as_it_was() {
    let (dir, accounts, catalogue) = directory();
    let writer = catalogue.write(noon()).unwrap();
    let (backup, manifest) = back_up(dir.path(), Contents::All);
    // Later changes are not in it.
    writer.commit().unwrap();
    register(&accounts);
    let names: Vec<&str> = manifest.files.iter().map(|member| member.name.as_str()).collect();
    assert_eq!((names, manifest.data_version), (vec![ACCOUNTS, CATALOGUE], Some(0)));

    let elsewhere = tempfile::tempdir().unwrap();
    let restored = put_back(&backup, elsewhere.path(), Existing::Refuse).unwrap();
    assert_eq!((restored.files, restored.set_aside.len()), (vec![ACCOUNTS, CATALOGUE], 0));
    assert_eq!(restored.manifest, Some(manifest));
    let kept = Accounts::open(elsewhere.path().join(ACCOUNTS)).unwrap();
    assert_eq!(keys::list(&kept).unwrap().len(), 1);
    let kept = Catalogue::open(elsewhere.path().join(CATALOGUE)).unwrap();
    assert_eq!(kept.snapshot(crate::values::date::Date::MAX).unwrap().version().unwrap(), 0);
    assert!(elsewhere.path().join("accounts.made").exists());
}

#[test]
fn what_is_there_stays_or_is_set_aside() {
    let (dir, accounts, catalogue) = directory();
    let (backup, _) = back_up(dir.path(), Contents::Accounts);
    register(&accounts);
    drop((accounts, catalogue));
    let said = put_back(&backup, dir.path(), Existing::Refuse).unwrap_err().to_string();
    assert!(said.contains("accounts.db would be overwritten"), "{said}");
    let restored = put_back(&backup, dir.path(), Existing::SetAside).unwrap();
    let count = |path: &Path| keys::list(&Accounts::open(path).unwrap()).unwrap().len();
    let aside = dir.path().join("accounts.db.before-restore-20261115T150000Z");
    assert_eq!(restored.set_aside, std::slice::from_ref(&aside));
    assert_eq!((count(&dir.path().join(ACCOUNTS)), count(&aside)), (1, 2));
}

#[test]
fn a_log_without_its_database_is_not_written_into_the_next_one() {
    let (dir, accounts, catalogue) = directory();
    let (backup, _) = back_up(dir.path(), Contents::Accounts);
    register(&accounts);
    let [file, log] = [ACCOUNTS, "accounts.db-wal"].map(|name| dir.path().join(name));
    let left = fs::read(&log).unwrap();
    drop((accounts, catalogue));
    fs::remove_file(&file).unwrap();
    fs::write(&log, left).unwrap();
    let said = crate::store::sqlite_file::open(&file, &crate::accounts::sqlite_store::SCHEMA)
        .unwrap_err()
        .to_string();
    assert!(said.contains("accounts.db-wal is left of a file that is gone"), "{said}");
    let restored = put_back(&backup, dir.path(), Existing::Refuse).unwrap();
    assert_eq!((restored.set_aside.len(), log.exists()), (0, false));
    assert_eq!(keys::list(&Accounts::open(&file).unwrap()).unwrap().len(), 1);
}

#[test]
fn a_damaged_backup_changes_nothing() {
    let (dir, accounts, catalogue) = directory();
    drop((accounts, catalogue));
    let (backup, _) = back_up(dir.path(), Contents::All);
    let whole = fs::read(&backup).unwrap();
    for at in [40, whole.len() / 3, whole.len() / 2, whole.len() - 200] {
        let mut file = File::options().write(true).open(&backup).unwrap();
        file.seek(SeekFrom::Start(at as u64)).unwrap();
        file.write_all(&[0xa5; 64]).unwrap();
        let elsewhere = tempfile::tempdir().unwrap();
        assert!(put_back(&backup, elsewhere.path(), Existing::Refuse).is_err(), "{at}");
        assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0, "{at}");
        fs::write(&backup, &whole).unwrap();
    }
    assert!(put_back(&backup, tempfile::tempdir().unwrap().path(), Existing::Refuse).is_ok());
}

#[test]
fn the_accounts_as_earlier_versions_copied_them_are_put_back() {
    let (dir, accounts, _catalogue) = directory();
    let copy = dir.path().join("copy.db");
    accounts.backup(&copy).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let restored = put_back(&copy, elsewhere.path(), Existing::Refuse).unwrap();
    assert_eq!((restored.manifest, restored.files), (None, vec![ACCOUNTS]));
    let kept = Accounts::open(elsewhere.path().join(ACCOUNTS)).unwrap();
    assert_eq!(keys::list(&kept).unwrap(), keys::list(&accounts).unwrap());
}

#[test]
fn nothing_is_restored_while_an_import_runs() {
    let (dir, _accounts, catalogue) = directory();
    let (backup, _) = back_up(dir.path(), Contents::All);
    let writer = catalogue.write(noon()).unwrap();
    let refused = put_back(&backup, dir.path(), Existing::SetAside);
    assert!(matches!(refused, Err(Error::Busy(_))), "{refused:?}");
    writer.commit().unwrap();
}

#[test]
fn a_backup_is_private_and_overwrites_nothing() {
    let (dir, _accounts, _catalogue) = directory();
    let (backup, _) = back_up(dir.path(), Contents::Accounts);
    let again = write(dir.path(), None, &backup, Contents::Accounts, noon(), |_| ());
    assert!(again.unwrap_err().to_string().contains("exists already"));
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        assert_eq!(fs::metadata(&backup).unwrap().permissions().mode() & 0o777, 0o600);
    }
}

#[test]
fn accounts_with_a_trigger_are_not_restored() {
    let (dir, accounts, _catalogue) = directory();
    let copy = dir.path().join("copy.db");
    accounts.backup(&copy).unwrap();
    let trigger =
        "CREATE TRIGGER free AFTER INSERT ON key BEGIN UPDATE key SET plan = 'platinum'; END";
    rusqlite::Connection::open(&copy).unwrap().execute_batch(trigger).unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let said = put_back(&copy, elsewhere.path(), Existing::Refuse).unwrap_err().to_string();
    assert!(said.contains("the trigger \"free\" is not one of ours"), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
    // One that is there already is found, and does nothing.
    drop(accounts);
    let path = dir.path().join(ACCOUNTS);
    rusqlite::Connection::open(&path).unwrap().execute_batch(trigger).unwrap();
    let accounts = Accounts::open(&path).unwrap();
    register(&accounts);
    assert!(keys::list(&accounts).unwrap().iter().all(|key| key.plan == Plan::Free));
    assert_eq!(accounts.check().unwrap().problems, ["the trigger \"free\" is not one of ours"]);
    let target = dir.path().join("backup.zip");
    let refused = write(dir.path(), None, &target, Contents::Accounts, noon(), |_| ());
    assert!(refused.unwrap_err().to_string().contains("not one of ours"));
}

#[test]
fn a_backup_without_files_is_not_restored() {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("empty.zip");
    let program = "0.4.0".to_owned();
    let manifest = Manifest {
        format: FORMAT,
        program,
        made_at: noon(),
        data_version: None,
        files: Vec::new(),
    };
    let mut archive = zip::ZipWriter::new(File::create(&path).unwrap());
    archive.start_file("manifest.json", zip::write::SimpleFileOptions::default()).unwrap();
    archive.write_all(&serde_json::to_vec(&manifest).unwrap()).unwrap();
    archive.finish().unwrap();
    let elsewhere = tempfile::tempdir().unwrap();
    let said = put_back(&path, elsewhere.path(), Existing::Refuse).unwrap_err().to_string();
    assert!(said.contains("it has no files"), "{said}");
    assert_eq!(fs::read_dir(elsewhere.path()).unwrap().count(), 0);
}

#[test]
fn what_a_killed_restore_left_is_removed_by_the_next() {
    let (dir, _accounts, _catalogue) = directory();
    let (backup, _) = back_up(dir.path(), Contents::Accounts);
    let elsewhere = tempfile::tempdir().unwrap();
    // No process has a number as large as this; this one is ours; and one always runs.
    let own = format!("restore.{}.part", std::process::id());
    for name in ["restore.4294967294.part", &own, "restore.1.part", "other.4294967294.part"] {
        fs::create_dir(elsewhere.path().join(name)).unwrap();
        fs::write(elsewhere.path().join(name).join(ACCOUNTS), "half").unwrap();
    }
    put_back(&backup, elsewhere.path(), Existing::Refuse).unwrap();
    let mut left: Vec<_> = fs::read_dir(elsewhere.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter(|name| name.ends_with(".part"))
        .collect();
    left.sort();
    assert_eq!(left, ["other.4294967294.part", "restore.1.part"]);
}
