//! The latest announcements of companies, on the home page.
use fincore::{Limit, Result, Snapshot, filings};
use maud::{Markup, html};

use crate::pages::{
    data_age,
    filings::{category_link, rows},
    result_list::PREVIEW_ROWS,
    view::View,
};

/// The category of material facts.
const MATERIAL_FACTS: &str = "Fato Relevante";

/// The newest material facts with their age; as many as a preview, because everybody sees them.
pub(crate) fn news(snapshot: &Snapshot, view: &View) -> Result<Markup> {
    let say = |english, portuguese| view.language.pick(english, portuguese);
    let query = filings::List {
        category: Some(MATERIAL_FACTS.to_owned()),
        to: Some(snapshot.today()),
        limit: Limit::new(PREVIEW_ROWS)?,
        ..filings::List::default()
    };
    let newest = filings::list(snapshot, query)?;
    Ok(html! {
        @if !newest.data.is_empty() {
            section aria-labelledby="news" {
                h2 id="news" { (say("Latest material facts", "Últimos fatos relevantes")) }
                ul.news {
                    @for filing in &newest.data { li {
                        p.note {
                            time datetime=(filing.date) { (view.language.date(filing.date)) }
                            " · " (data_age::days(snapshot.today(), filing.date, view.language))
                            " · " a lang="pt-BR" href=(rows::company_link(view, filing)) { (filing.company_name) }
                        }
                        p { (rows::titled_link(view, filing)) }
                    } }
                }
                p.actions {
                    a.button href=(category_link(view, MATERIAL_FACTS)) { (say("All material facts", "Todos os fatos relevantes")) }
                    a.button href=(view.link("/companies")) { (say("Look up a company", "Procurar uma companhia")) }
                }
            }
        }
    })
}
