//! Packs the script of the interactive reference, writes the API description as JSON, also with its texts as HTML, and the
//! guide as HTML, so that requests need not, and finds out the commit for `--version`.
use std::{
    env,
    fmt::Write as _,
    fs,
    fs::File,
    io::{self, Write},
    path::Path,
    process::Command,
};

use flate2::{Compression, write::GzEncoder};
use pulldown_cmark::{CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd, html};
use serde_norway::Value;

const DESCRIPTION: &str = "../openapi.yaml";
const GUIDE: &str = "../docs";

/// Stands for the base path of the server in the addresses of the guide.
const BASE: &str = "~base~";

/// What the script of the reference shows in an empty field for a key: a joke in base64, which reads like a secret; and what
/// is shown instead.
const JOKE: &str = "QUxMIFlPVVIgQkFTRSBBUkUgQkVMT05HIFRPIFVT";
const EXAMPLE_KEY: &str = "fin_…";

fn main() -> io::Result<()> {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed={DESCRIPTION}");
    println!("cargo:rerun-if-changed={GUIDE}");
    if let Some(commit) = commit() {
        println!("cargo:rustc-env=FINSERVE_BUILT_FROM={commit}");
    }
    let out = env::var("OUT_DIR").map_err(io::Error::other)?;
    let out = Path::new(&out);
    pack_script(&out.join("scalar.js.gz"), &out.join("scalar.length"))?;
    write_description(&out.join("openapi.json"), &out.join("openapi-html.json"))?;
    write_guide(out)
}

/// Writes the guide: an array of its pages as Rust, the index first, the others in the order in which that names them.
fn write_guide(out: &Path) -> io::Result<()> {
    let index = fs::read_to_string(format!("{GUIDE}/README.md"))?;
    let mut names = vec!["README"];
    for row in index.lines().filter_map(|line| line.strip_prefix("| [")) {
        let target = row.split("](").nth(1).and_then(|rest| rest.split(')').next());
        let name = target.and_then(|target| target.strip_suffix(".md"));
        names.extend(name.filter(|name| !name.contains('/')));
    }
    let mut pages = String::from("&[\n");
    for name in names {
        let text = fs::read_to_string(format!("{GUIDE}/{name}.md"))?;
        let Page { title, summary, body } = render(&text);
        let file = out.join(format!("guide-{name}.html"));
        fs::write(&file, body)?;
        let name = if name == "README" { "" } else { name };
        let file = file.display().to_string();
        let _ = writeln!(
            pages,
            "GuidePage {{ name: {name:?}, title: {title:?}, summary: {summary:?}, body: include_str!({file:?}) }},"
        );
    }
    fs::write(out.join("guide.rs"), pages + "]")
}

/// A page of the guide: its heading, its first paragraph as text, and all but the heading as HTML.
struct Page {
    title: String,
    summary: String,
    body: String,
}

fn render(text: &str) -> Page {
    let (mut title, mut summary) = (String::new(), String::new());
    let mut events = Vec::new();
    let (mut in_title, mut in_summary) = (false, false);
    for event in Parser::new_ext(text, Options::ENABLE_TABLES) {
        match &event {
            Event::Start(Tag::Heading { level: HeadingLevel::H1, .. }) => in_title = true,
            Event::End(TagEnd::Heading(HeadingLevel::H1)) => in_title = false,
            Event::Text(text) | Event::Code(text) if in_title => title += text,
            _ => {
                match &event {
                    Event::Start(Tag::Paragraph) => in_summary = summary.is_empty(),
                    Event::End(TagEnd::Paragraph) => in_summary = false,
                    Event::Text(text) | Event::Code(text) if in_summary => summary += text,
                    Event::SoftBreak if in_summary => summary.push(' '),
                    _ => (),
                }
                events.push(event);
            }
        }
    }
    let mut body = String::new();
    html::push_html(&mut body, adapt(events).into_iter());
    // A wide table or a long line scrolls by itself, also by keyboard.
    let body = body.replace("<table>", "<div class=\"scroll\" tabindex=\"0\"><table>");
    let body = body.replace("</table>", "</table></div>").replace("<pre>", "<pre tabindex=\"0\">");
    Page { title, summary, body }
}

/// Gives headings their anchors, and turns links between files into links between pages. What is only a file is no link.
fn adapt(events: Vec<Event<'_>>) -> Vec<Event<'_>> {
    let mut adapted = Vec::with_capacity(events.len());
    let mut dropped = false;
    for at in 0..events.len() {
        match &events[at] {
            Event::Start(Tag::Heading { level, classes, attrs, .. }) => {
                let rest = events[at..]
                    .iter()
                    .take_while(|event| !matches!(event, Event::End(TagEnd::Heading(_))));
                let text: String = rest
                    .filter_map(|event| match event {
                        Event::Text(text) | Event::Code(text) => Some(text.as_ref()),
                        _ => None,
                    })
                    .collect();
                let (level, classes, attrs) = (*level, classes.clone(), attrs.clone());
                let id = Some(CowStr::from(slug(&text)));
                adapted.push(Event::Start(Tag::Heading { level, id, classes, attrs }));
            }
            Event::Start(Tag::Link { link_type, dest_url, title, id }) => match address(dest_url) {
                Some(address) => adapted.push(Event::Start(Tag::Link {
                    link_type: *link_type,
                    dest_url: address.into(),
                    title: title.clone(),
                    id: id.clone(),
                })),
                None => dropped = true,
            },
            Event::End(TagEnd::Link) if dropped => dropped = false,
            event => adapted.push(event.clone()),
        }
    }
    adapted
}

/// Where a link of a page leads on the server, if it does.
fn address(target: &str) -> Option<String> {
    if target.contains("://") || target.starts_with('#') {
        return Some(target.to_owned());
    }
    if target == "../openapi.yaml" {
        return Some(format!("{BASE}/docs/openapi.yaml"));
    }
    let (file, anchor) = target.split_once('#').unwrap_or((target, ""));
    let name = file.strip_suffix(".md").filter(|name| !name.contains('/'))?;
    let page = if name == "README" { String::new() } else { format!("/{name}") };
    let anchor = if anchor.is_empty() { String::new() } else { format!("#{anchor}") };
    Some(format!("{BASE}/docs/guide{page}{anchor}"))
}

/// The anchor of a heading, as elsewhere.
fn slug(heading: &str) -> String {
    let text = heading.trim().to_lowercase().replace(' ', "-");
    text.chars().filter(|c| c.is_alphanumeric() || "-_".contains(*c)).collect()
}

/// Packs the script, and writes down how long it is: nobody needs to unpack it to know that.
fn pack_script(path: &Path, length: &Path) -> io::Result<()> {
    let script = scalar_api_reference::get_asset("scalar.js")
        .ok_or_else(|| io::Error::other("the package of the reference holds no script"))?;
    let script = String::from_utf8_lossy(&script).replace(JOKE, EXAMPLE_KEY);
    fs::write(length, script.len().to_string())?;
    let mut packed = GzEncoder::new(File::create(path)?, Compression::best());
    packed.write_all(script.as_bytes())?;
    packed.finish()?.sync_all()
}

fn write_description(path: &Path, html_path: &Path) -> io::Result<()> {
    let yaml = fs::read_to_string(DESCRIPTION)?;
    // Kept in this type, the members stay in their order.
    let mut document: Value = serde_norway::from_str(&yaml).map_err(io::Error::other)?;
    fs::write(path, serde_json::to_string(&document)?)?;
    mark_up(&mut document);
    fs::write(html_path, serde_json::to_string(&document)?)
}

/// Turns every description into HTML. Examples are data, which may have members of that name.
fn mark_up(value: &mut Value) {
    match value {
        Value::Mapping(members) => {
            for (name, member) in members {
                match (name.as_str(), &mut *member) {
                    (Some("example"), _) => (),
                    (Some("description"), Value::String(text)) => {
                        let mut markup = String::new();
                        html::push_html(&mut markup, Parser::new_ext(text, Options::ENABLE_TABLES));
                        *member = Value::String(markup);
                    }
                    (_, member) => mark_up(member),
                }
            }
        }
        Value::Sequence(items) => items.iter_mut().for_each(mark_up),
        _ => (),
    }
}

/// What this is built from: what whoever builds says, otherwise what git says. Nothing outside of a repository. Debug
/// builds do not ask git: they would be built anew after every commit.
fn commit() -> Option<String> {
    println!("cargo:rerun-if-env-changed=FINSERVE_COMMIT");
    let named = env::var("FINSERVE_COMMIT").ok().filter(|commit| is_plain(commit));
    if named.is_some() || env::var("PROFILE").as_deref() != Ok("release") {
        return named;
    }
    let here = fs::canonicalize("..").ok()?;
    // A copy of the sources inside somebody else's repository has none of its own.
    let ours = git(&["rev-parse", "--show-toplevel"])?;
    if fs::canonicalize(ours).ok()? != here {
        return None;
    }
    // A file that is missing would count as changed.
    let folder =
        here.join(git(&["rev-parse", "--git-common-dir"]).map(|dir| format!("finserve/{dir}"))?);
    let head = git(&["symbolic-ref", "-q", "HEAD"]).unwrap_or_default();
    for file in ["HEAD", &head, "packed-refs"] {
        let file = folder.join(file);
        if file.is_file() {
            println!("cargo:rerun-if-changed={}", file.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"]).filter(|commit| is_plain(commit))
}

/// What git answers, if it is there and succeeds.
fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok()?;
    let text = String::from_utf8(output.stdout).ok()?;
    output.status.success().then(|| text.trim().to_owned())
}

/// Whether this can stand in a line of its own.
fn is_plain(commit: &str) -> bool {
    !commit.is_empty() && commit.chars().all(|c| c.is_ascii_alphanumeric() || "-._+".contains(c))
}
