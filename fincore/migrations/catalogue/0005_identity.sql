-- Tells this catalogue from any other: data versions, cursors and event ids are only comparable within one.
INSERT INTO meta (name, value) VALUES ('catalogue_id', lower(hex(randomblob(8))));
