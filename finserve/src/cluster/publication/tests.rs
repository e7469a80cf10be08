//! Publishing to a directory and following it, with everything that can be wrong with what lies there.
use std::{fs, path::PathBuf};

use fincore::{Catalogue, Date, Edition, Import};

use super::{manifest::Manifest, store::MANIFEST, *};
use crate::coordination::clock::Now;

/// A data directory that is published from, the target, and the data directory of a follower.
struct Publication {
    dir: tempfile::TempDir,
    catalogue: Catalogue,
}

impl Publication {
    fn new() -> Publication {
        let dir = tempfile::tempdir().unwrap();
        for name in ["data", "target", "follower"] {
            fs::create_dir(dir.path().join(name)).unwrap();
        }
        let catalogue = Catalogue::open(dir.path().join("data/catalogue.db")).unwrap();
        let publication = Publication { dir, catalogue };
        publication.import(1);
        publication
    }

    fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    fn target(&self) -> Target {
        Target::Directory(self.path("target"))
    }

    /// Imports the Selic of a day.
    fn import(&self, day: u32) {
        let file = format!(r#"[{{"data":"{day:02}/10/2026","valor":"13.75"}}]"#);
        let mut import = Import::begin(&self.catalogue, Now::read().utc).unwrap();
        import.read("bcdata.sgs.432.json", std::io::Cursor::new(file)).unwrap();
        import.commit().unwrap();
    }

    fn publish(&self, direction: Direction) -> Result<Outcome, PublishError> {
        let store = self.target().open().unwrap();
        let data = self.path("data");
        publish(&self.catalogue, &*store, &data, direction, &mut || true, &mut |_| ())
    }

    fn publish_next(&self) -> Manifest {
        match self.publish(Direction::Forwards).unwrap() {
            Outcome::Published(manifest) => manifest,
            Outcome::Already(manifest) => panic!("{manifest:?} was there"),
        }
    }

    fn follower(&self) -> Follower {
        Follower::new(&self.target(), &self.path("follower"), 4).unwrap()
    }

    fn manifest(&self) -> PathBuf {
        self.path("target").join(MANIFEST)
    }

    fn names(&self, directory: &str) -> Vec<String> {
        let entries = fs::read_dir(self.path(directory)).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }
}

fn edition(catalogue: &Catalogue) -> Edition {
    catalogue.snapshot(Date::MAX).unwrap().edition().unwrap()
}

fn version(follower: &Follower) -> Option<u64> {
    follower.catalogue().map(|catalogue| edition(catalogue).data_version)
}

#[test]
fn a_catalogue_with_a_view_or_a_trigger_is_not_followed() {
    let publication = Publication::new();
    for (name, change) in [
        (
            "view",
            "ALTER TABLE rate RENAME TO hidden;
             CREATE VIEW rate AS WITH RECURSIVE n (x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)
                 SELECT x AS series, x AS date, x AS value FROM n",
        ),
        ("trigger", "CREATE TRIGGER t AFTER INSERT ON rate BEGIN DELETE FROM rate; END"),
    ] {
        let changed = publication.path(name);
        let edition = publication.catalogue.write_copy(&changed).unwrap();
        rusqlite::Connection::open(&changed).unwrap().execute_batch(change).unwrap();
        let packed = publication.path("target").join("packed");
        let copy = compression::compress(&changed, &packed, |_, _| ()).unwrap();
        let manifest = Manifest::new(edition, copy, Now::read().utc, None);
        fs::rename(packed, publication.path("target").join(&manifest.file)).unwrap();
        fs::write(publication.manifest(), manifest.write().unwrap()).unwrap();
        let mut follower = publication.follower();
        let started = std::time::Instant::now();
        follower.look();
        let trouble = follower.trouble().unwrap();
        assert!(trouble.contains("is not as this program makes it"), "{name}: {trouble}");
        assert!(follower.catalogue().is_none() && started.elapsed().as_secs() < 60);
    }
}

#[test]
fn a_follower_serves_what_is_published_and_keeps_one_old_version() {
    let publication = Publication::new();
    let mut follower = publication.follower();
    follower.look();
    assert!(follower.catalogue().is_none() && follower.trouble().is_none());
    let mut files = Vec::new();
    for day in 2..6 {
        files.push(publication.publish_next().file);
        follower.look();
        assert_eq!(follower.trouble(), None);
        assert_eq!(edition(follower.catalogue().unwrap()), edition(&publication.catalogue));
        publication.import(day);
    }
    let [.., last, newest] = &files[..] else { unreachable!() };
    let mut wanted = vec![last.clone(), newest.clone(), MANIFEST.to_owned()];
    wanted.sort();
    assert_eq!(publication.names("target"), wanted);
    let databases: Vec<String> = publication.names("follower/published");
    let databases = databases.into_iter().filter(|name| name.ends_with(".db"));
    assert_eq!(databases.count(), 2);
    // A new start needs no target.
    fs::rename(publication.path("target"), publication.path("away")).unwrap();
    let mut again = publication.follower();
    assert_eq!(version(&again), Some(4));
    again.look();
    assert_eq!(version(&again), Some(4));
    assert!(again.trouble().unwrap().contains("cannot be read"), "{:?}", again.trouble());
}

#[test]
fn what_is_published_already_is_not_published_again() {
    let publication = Publication::new();
    let first = publication.publish_next();
    let written = fs::read(publication.manifest()).unwrap();
    let Outcome::Already(again) = publication.publish(Direction::Forwards).unwrap() else {
        panic!()
    };
    assert_eq!((again, fs::read(publication.manifest()).unwrap()), (first, written));
}

#[test]
fn a_publication_goes_back_only_when_told_to() {
    let publication = Publication::new();
    let old = publication.path("data/old.db");
    publication.catalogue.write_copy(&old).unwrap();
    publication.import(2);
    publication.publish_next();
    let mut follower = publication.follower();
    follower.look();
    assert_eq!(version(&follower), Some(2));
    publication.catalogue.switch_to(&Catalogue::open(&old).unwrap());
    let refused = publication.publish(Direction::Forwards);
    assert!(matches!(refused, Err(PublishError::Older { published: 2, here: 1 })), "{refused:?}");
    // Other data under the same version is no progress either.
    publication.import(3);
    let refused = publication.publish(Direction::Forwards);
    assert!(matches!(refused, Err(PublishError::Older { published: 2, here: 2 })), "{refused:?}");
    publication.publish(Direction::Anywhere).unwrap();
    follower.look();
    assert_eq!(edition(follower.catalogue().unwrap()), edition(&publication.catalogue));
    let other = Catalogue::open(publication.path("data/other.db")).unwrap();
    publication.catalogue.switch_to(&other);
    assert!(matches!(publication.publish(Direction::Forwards), Err(PublishError::Another)));
}

#[test]
fn an_old_manifest_is_not_followed_back() {
    let publication = Publication::new();
    publication.publish_next();
    let old = fs::read(publication.manifest()).unwrap();
    publication.import(2);
    publication.publish_next();
    let mut follower = publication.follower();
    follower.look();
    fs::write(publication.manifest(), old).unwrap();
    follower.look();
    assert_eq!(version(&follower), Some(2));
    assert!(follower.trouble().unwrap().contains("was published before"));
}

#[test]
fn a_wrong_publication_is_refused_and_the_old_one_stays() {
    let publication = Publication::new();
    publication.publish_next();
    publication.import(2);
    let manifest = fs::read_to_string(publication.manifest()).unwrap();
    let good = publication.publish_next();
    let good_manifest = fs::read_to_string(publication.manifest()).unwrap();
    let file = publication.path("target").join(&good.file);
    let bytes = fs::read(&file).unwrap();
    let first_only = |follower: &Follower, wrong: &str| {
        assert_eq!(version(follower), Some(1));
        let said = follower.trouble().unwrap();
        assert!(said.contains(wrong), "{said} instead of {wrong}");
        let left = publication.names("follower/published");
        assert!(left.iter().all(|name| !name.ends_with(".part")), "{left:?}");
        assert_eq!(left.iter().filter(|name| name.ends_with(".db")).count(), 1, "{left:?}");
    };
    let hash = |from: char| {
        let sha256 = &good.copy.compressed_sha256;
        good_manifest.replace(sha256, &sha256.replace(from, if from == 'a' { "b" } else { "a" }))
    };
    let (mut flipped, half) = (bytes.clone(), &bytes[..bytes.len() / 2]);
    flipped[bytes.len() / 2] ^= 1;
    let longer = [&bytes[..], b"more"].concat();
    let one_more = good_manifest.replace("\"data_version\": 2", "\"data_version\": 3");
    let renamed = one_more.replace("catalogue-2-", "catalogue-3-");
    let path = good_manifest.replace("catalogue-2-", "../catalogue-2-");
    let cases: &[(&str, &[u8], &str)] = &[
        ("garbage", &bytes, "the manifest cannot be read"),
        ("{}", &bytes, "the manifest cannot be read"),
        (&good_manifest[..100], &bytes, "the manifest cannot be read"),
        (&good_manifest.replace("\"format\": 1", "\"format\": 2"), &bytes, "update it first"),
        (&hash('a'), &bytes, "is not what the manifest says"),
        (&good_manifest, half, "cannot be read or unpacked"),
        (&good_manifest, &flipped, "catalogue-2-"),
        (&good_manifest, &longer, "is not what the manifest says"),
        (&good_manifest, b"", "cannot be read or unpacked"),
        (&one_more, &bytes, "the manifest should name"),
        (&path, &bytes, "the manifest should name"),
    ];
    for (manifest_now, file_now, wrong) in cases {
        fs::remove_dir_all(publication.path("follower")).unwrap();
        fs::create_dir(publication.path("follower")).unwrap();
        fs::write(publication.manifest(), &manifest).unwrap();
        let mut follower = publication.follower();
        follower.look();
        assert_eq!(version(&follower), Some(1));
        fs::write(publication.manifest(), manifest_now).unwrap();
        fs::write(&file, file_now).unwrap();
        follower.look();
        first_only(&follower, wrong);
        follower.look();
        first_only(&follower, wrong);
        // It goes on when all is well again.
        fs::write(&file, &bytes).unwrap();
        fs::write(publication.manifest(), &good_manifest).unwrap();
        let mut again = publication.follower();
        again.look();
        assert_eq!((version(&again), again.trouble()), (Some(2), None));
    }
    // A file whose hash is right, and that is other data than the manifest says.
    let name = renamed.split('"').find(|part| part.starts_with("catalogue-3-")).unwrap();
    fs::write(publication.path("target").join(name), &bytes).unwrap();
    fs::write(publication.manifest(), &renamed).unwrap();
    fs::remove_dir_all(publication.path("follower")).unwrap();
    fs::create_dir(publication.path("follower")).unwrap();
    let mut follower = publication.follower();
    follower.look();
    assert_eq!(version(&follower), None);
    let said = follower.trouble().unwrap();
    assert!(said.contains("has data version 2, the manifest says 3"), "{said}");
}

#[test]
fn a_damaged_file_gives_way_to_the_one_before() {
    let publication = Publication::new();
    let mut follower = publication.follower();
    publication.publish_next();
    follower.look();
    publication.import(2);
    let newest = publication.publish_next();
    follower.look();
    assert_eq!(version(&follower), Some(2));
    drop(follower);
    let database = publication.path("follower/published").join(newest.database());
    fs::write(&database, b"not a database, and not empty").unwrap();
    let mut again = publication.follower();
    assert_eq!(version(&again), Some(1));
    again.look();
    assert_eq!((version(&again), again.trouble()), (Some(2), None));
}

#[test]
fn targets_are_read_and_nothing_that_may_be_secret_is_repeated() {
    let read = |text: &str| TypedTarget::from(text.to_owned()).read();
    let shown = |text: &str| read(text).unwrap().to_string();
    assert_eq!(shown("/srv/catalogue"), "/srv/catalogue");
    if cfg!(feature = "cluster") {
        assert_eq!(shown("s3://data/finserve/a/"), "s3://data/finserve/a/");
        assert_eq!(shown("s3://data"), "s3://data/");
    }
    assert_eq!(shown("https://example.org/data/"), "https://example.org/data");
    for text in ["", "ftp://a/b", "https://user:secret@host/", "s3://key:secret@bucket/a", "s3://"]
    {
        let said = read(text).unwrap_err();
        assert!(!said.contains("secret"), "{said}");
    }
    assert_eq!(format!("{:?}", TypedTarget::from("secret".to_owned())), "TypedTarget(…)");
}
