//! Backups that are made while data changes, damaged, and put back.
use std::{
    fs::File,
    io::{Seek, SeekFrom, Write},
    path::PathBuf,
};

use super::*;
use crate::{
    catalogue::{Catalogue, noon},
    keys::{self, Registration},
    plans::Plan,
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
    assert_eq!(kept.snapshot(crate::types::Date::MAX).unwrap().version().unwrap(), 0);
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
    let said = crate::sqlite::open(&file, &crate::accounts::SCHEMA).unwrap_err().to_string();
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
