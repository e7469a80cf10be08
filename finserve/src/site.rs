//! Where the service is on the web, for pages and HTTP alike: public address, base path, upgrade contact, the header of keys.
pub(crate) mod api_key_header;
pub(crate) mod base_path;
pub(crate) mod host_header;
pub(crate) mod local_host;
pub(crate) mod public_url;
pub(crate) mod upgrade_contact;
