//! The kinds of terms that filings are indexed by.

/// What a term is. The numbers are stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum TermKind {
    /// The summary of what a block has of the kinds up to `Year`. It stands before them, because rows are written fastest
    /// where none follows.
    Summary,
    /// A word of class or subject, or an extra word that a filing is found by.
    Text,
    /// A word in a class or the head of a subject; stored only where fewer filings have it there than anywhere.
    Head,
    /// A run of words of class or subject.
    Run,
    /// A company, by its code.
    Company,
    /// A category, folded.
    Category,
    /// A type, folded.
    Type,
    /// A class, by its id.
    Class,
    /// A year, of delivery or of reference.
    Year,
    /// The summary of what a block has of the kinds from `Name` on.
    NameSummary,
    /// A word of a company's names.
    Name,
    /// A word that is in texts as well as in names.
    Both,
    /// A run of words in a name.
    NameRun,
    /// A prefix that many words of texts and names share.
    Prefix,
}

impl TermKind {
    /// In the order of their numbers. Those from `NameSummary` on depend on the names of companies.
    pub(super) const ALL: [TermKind; 14] = [
        TermKind::Summary,
        TermKind::Text,
        TermKind::Head,
        TermKind::Run,
        TermKind::Company,
        TermKind::Category,
        TermKind::Type,
        TermKind::Class,
        TermKind::Year,
        TermKind::NameSummary,
        TermKind::Name,
        TermKind::Both,
        TermKind::NameRun,
        TermKind::Prefix,
    ];

    pub(super) const fn number(self) -> u32 {
        self as u32
    }
}
