//! Finds the periods of a company's statements, and computes their values: taken from a form, or by subtraction and
//! addition where no form has them.
use std::{collections::HashMap, rc::Rc};

use rusqlite::Connection;

use crate::{
    statements::{
        AccountNames, ColumnOrder, Content, Period, Scope, StatementKind, StatementOrigin,
        StoredColumn, StoredForm, account::is_per_share,
    },
    values::{Date, Decimal, Form, Result},
};

/// An account, and for changes of equity the part of it; by their numbers.
pub(crate) type AccountId = (i64, i64);

/// The key that matches accounts of two forms: code and name, whether they are in CVM's plan or not.
fn same_account((account, part): AccountId) -> AccountId {
    (account >> 1, part >> 1)
}

/// The values of accounts, to be matched with others.
fn by_account(values: Vec<(AccountId, Decimal)>) -> HashMap<AccountId, Decimal> {
    values.into_iter().map(|(id, value)| (same_account(id), value)).collect()
}

/// The values of one period.
#[derive(Clone, Debug)]
pub(crate) struct PeriodValues {
    pub(crate) start: Option<Date>,
    pub(crate) end: Date,
    /// The places of the forms that they were made from, the newest first.
    pub(crate) forms: Vec<usize>,
    pub(crate) origin: StatementOrigin,
    pub(crate) is_computed: bool,
    /// In the order of the accounts.
    pub(crate) values: Vec<(AccountId, Decimal)>,
}

/// A statement of a form: the content of all its tables.
#[derive(Debug)]
pub(crate) struct FormStatement {
    /// The place of its form.
    form: usize,
    /// The last day of the form's period. A column that ends on another day is not of it.
    end: Date,
    contents: Vec<Content>,
}

/// The statements of one kind and scope of a company.
pub(crate) struct History<'c> {
    /// Every form of the company.
    pub(crate) forms: &'c [StoredForm],
    scope: Scope,
    kind: StatementKind,
    /// Of each form and period the newest version that has the statement, newest period first.
    statements: Vec<Rc<FormStatement>>,
}

impl<'c> History<'c> {
    /// Reads the statements. `forms` are those of the company, newest period first, then newest version.
    pub(crate) fn read(
        connection: &Connection,
        forms: &'c [StoredForm],
        scope: Scope,
        kind: StatementKind,
    ) -> Result<History<'c>> {
        let mut statements: Vec<Rc<FormStatement>> = Vec::new();
        for (place, form) in forms.iter().enumerate().filter(|(_, form)| form.has(scope, kind)) {
            let same = |known: &Rc<FormStatement>| {
                let known = &forms[known.form].key;
                (known.form, known.period_end) == (form.key.form, form.key.period_end)
            };
            if statements.last().is_some_and(same) {
                continue;
            }
            let mut contents = form.contents(connection, scope, kind)?;
            if kind == StatementKind::CashFlow {
                contents = one_method(contents);
            }
            statements.push(Rc::new(FormStatement {
                form: place,
                end: form.key.period_end,
                contents,
            }));
        }
        Ok(History { forms, scope, kind, statements })
    }

    pub(crate) fn scope(&self) -> Scope {
        self.scope
    }

    /// The ids of all accounts of all its statements, and of the parts of equity.
    pub(crate) fn account_ids(&self) -> impl Iterator<Item = i64> {
        let contents = self.statements.iter().flat_map(|statement| &statement.contents);
        contents.flat_map(|content| {
            content.accounts.iter().copied().chain(content.columns.iter().map(|column| column.part))
        })
    }

    /// The period that ends on a day.
    pub(crate) fn ending(&self, period: Period, end: Date) -> Option<PeriodRecipe> {
        self.periods(period).into_iter().find(|recipe| recipe.end() == end)
    }

    /// The periods that there are, newest first.
    pub(crate) fn periods(&self, period: Period) -> Vec<PeriodRecipe> {
        let is_balance = self.kind == StatementKind::BalanceSheet;
        let mut recipes: Vec<Recipe> = match period {
            Period::Annual => self.of(Form::Dfp).filter_map(whole).map(Recipe::Filed).collect(),
            Period::TrailingTwelveMonths if is_balance => {
                self.ends().into_iter().take(1).map(Recipe::Filed).collect()
            }
            Period::Quarter | Period::YearToDate if is_balance => {
                self.ends().into_iter().map(Recipe::Filed).collect()
            }
            Period::YearToDate => self.ends().into_iter().map(Recipe::Filed).collect(),
            Period::Quarter => self.quarters(),
            Period::TrailingTwelveMonths => self.trailing(),
        };
        recipes.sort_by_key(|recipe| std::cmp::Reverse(recipe.end()));
        recipes.dedup_by_key(|recipe| recipe.end());
        recipes.into_iter().map(PeriodRecipe).collect()
    }

    fn of(&self, form: Form) -> impl Iterator<Item = &FormStatement> {
        let is_of =
            move |statement: &&Rc<FormStatement>| self.forms[statement.form].key.form == form;
        self.statements.iter().filter(is_of).map(|statement| &**statement)
    }

    /// The column of each form that reaches from the beginning of its fiscal year to its end, annual forms first where both
    /// end on a day.
    fn ends(&self) -> Vec<FormColumn> {
        let longest: Vec<FormColumn> =
            self.statements.iter().filter_map(|statement| whole(statement)).collect();
        let begins = |column: &&FormColumn| self.begins_year(column, &longest);
        let mut columns: Vec<FormColumn> = longest.iter().filter(begins).copied().collect();
        columns.sort_by_key(|column| {
            (std::cmp::Reverse(column.end), self.forms[column.form].key.form)
        });
        columns
    }

    /// Whether a column, of which `longest` are those of all forms, begins with its fiscal year. Some quarterly forms have only
    /// their last three months.
    fn begins_year(&self, column: &FormColumn, longest: &[FormColumn]) -> bool {
        let is_quarter = column.has_days(&QUARTER) && self.forms[column.form].key.form == Form::Itr;
        let Some(start) = column.start.filter(|_| is_quarter) else { return true };
        let is_in = |whole: &FormColumn| {
            whole.start.is_some_and(|first| first < start) && whole.end >= column.end
        };
        // The days between the end of a form's period and the beginning of this one.
        let gap = |form: &StoredForm| start.day_number() - 1 - form.key.period_end.day_number();
        let before = |kind: Form, gaps: std::ops::RangeInclusive<i32>| {
            let forms = self.forms.iter().filter(move |form| form.key.form == kind);
            forms.map(gap).any(|days| gaps.contains(&days))
        };
        let year_ended = || before(Form::Dfp, -10..=10);
        let quarter_ended = || before(Form::Itr, -10..=10);
        let year_goes_on = || before(Form::Dfp, 60..=310);
        !longest.iter().any(is_in) && (year_ended() || !(quarter_ended() || year_goes_on()))
    }

    /// Every quarter: the three months of a quarterly form, else the difference of two periods that begin together.
    fn quarters(&self) -> Vec<Recipe> {
        let whole: Vec<FormColumn> = self.ends();
        let quarter = |statement: &FormStatement| {
            let own = columns(statement, ColumnOrder::Last).into_iter();
            own.filter(|column| column.has_days(&QUARTER))
                .max_by_key(|column| (column.end, column.start))
        };
        let filed: Vec<FormColumn> = self.of(Form::Itr).filter_map(quarter).collect();
        let mut recipes: Vec<Recipe> = filed.iter().copied().map(Recipe::Filed).collect();
        for column in &whole {
            if filed.iter().any(|quarter| quarter.end == column.end) {
                continue;
            }
            let form = &self.forms[column.form].key.form;
            // A year of another length has no fourth quarter.
            if *form == Form::Dfp && !column.has_days(&YEAR) {
                continue;
            }
            let before = whole.iter().find(|before| self.is_quarter_before(before, column));
            recipes.extend(before.map(|before| Recipe::Difference(*column, *before)));
        }
        recipes
    }

    /// Whether a period begins with a longer one and ends three months before it, in the same plan of accounts.
    fn is_quarter_before(&self, before: &FormColumn, column: &FormColumn) -> bool {
        let days = column.end.day_number() - before.end.day_number();
        self.forms[before.form].key.form == Form::Itr
            && before.start.is_some()
            && before.start == column.start
            && QUARTER.contains(&days)
            && self.follow_one_plan([before, column])
    }

    /// Whether forms follow one plan of accounts, as far as it is known: a form without income statement and balance sheet
    /// does not show it.
    fn follow_one_plan<'f>(&self, columns: impl IntoIterator<Item = &'f FormColumn>) -> bool {
        let mut plans = columns.into_iter().filter_map(|column| self.forms[column.form].plan);
        plans.next().is_none_or(|first| plans.all(|plan| plan == first))
    }

    /// The last four quarters at the end of each; where one is missing, a fiscal year of twelve months.
    fn trailing(&self) -> Vec<Recipe> {
        let mut quarters = self.quarters();
        quarters.sort_by_key(|recipe| std::cmp::Reverse(recipe.end()));
        quarters.dedup_by_key(|recipe| recipe.end());
        let four = quarters.windows(4).filter(|four| self.are_consecutive(four));
        let mut recipes: Vec<Recipe> = four.map(|four| Recipe::Sum(four.to_vec())).collect();
        let years = self.of(Form::Dfp).filter_map(whole);
        for year in years.filter(|year| year.has_days(&YEAR)) {
            if recipes.iter().all(|known| known.end() != year.end) {
                recipes.push(Recipe::Filed(year));
            }
        }
        recipes
    }

    fn are_consecutive(&self, quarters: &[Recipe]) -> bool {
        let follow = |two: &[Recipe]| {
            QUARTER.contains(&(two[0].end().day_number() - two[1].end().day_number()))
        };
        let columns = quarters.iter().flat_map(Recipe::columns);
        quarters.windows(2).all(follow) && self.follow_one_plan(columns)
    }

    /// The columns of forms that a computed period is made of, each with whether it is subtracted; none of a period that was
    /// filed. Columns that are added and subtracted cancel out.
    pub(crate) fn parts(&self, PeriodRecipe(recipe): &PeriodRecipe) -> Vec<(Sign, PeriodValues)> {
        if matches!(recipe, Recipe::Filed(_)) {
            return Vec::new();
        }
        let parts = recipe.signed_columns().into_iter();
        parts.map(|(sign, column)| (sign, self.make(&Recipe::Filed(column)))).collect()
    }

    /// The values of a period.
    pub(crate) fn values(&self, PeriodRecipe(recipe): &PeriodRecipe) -> PeriodValues {
        self.make(recipe)
    }

    fn make(&self, recipe: &Recipe) -> PeriodValues {
        match recipe {
            Recipe::Filed(column) => PeriodValues {
                start: column.start,
                end: column.end,
                forms: vec![column.form],
                origin: StatementOrigin::Filed,
                is_computed: false,
                values: self.column_values(column),
            },
            Recipe::Difference(whole, before) => {
                let less = by_account(self.column_values(before));
                let values = self.column_values(whole).into_iter();
                let difference = |(id, value): (AccountId, Decimal)| {
                    Some((id, value.checked_sub(*less.get(&same_account(id))?)?))
                };
                PeriodValues {
                    start: Date::from_day_number(before.end.day_number() + 1),
                    end: whole.end,
                    forms: vec![whole.form, before.form],
                    origin: StatementOrigin::Computed,
                    is_computed: true,
                    values: values.filter_map(difference).collect(),
                }
            }
            Recipe::Sum(quarters) => self.sum(quarters),
        }
    }

    /// The sum of four quarters, of the accounts that all of them have.
    fn sum(&self, quarters: &[Recipe]) -> PeriodValues {
        let mut quarters = quarters.iter().map(|quarter| self.make(quarter));
        let Some(mut sum) = quarters.next() else { unreachable!("there are four quarters") };
        for quarter in quarters {
            let more = by_account(quarter.values);
            let added = |(id, value): &(AccountId, Decimal)| {
                Some((*id, value.checked_add(*more.get(&same_account(*id))?)?))
            };
            sum.values = sum.values.iter().filter_map(added).collect();
            sum.start = quarter.start;
            let others = quarter.forms.into_iter().filter(|form| !sum.forms.contains(form));
            sum.forms.extend(others.collect::<Vec<_>>());
        }
        (sum.origin, sum.is_computed) = (StatementOrigin::Computed, true);
        sum
    }

    fn column_values(&self, column: &FormColumn) -> Vec<(AccountId, Decimal)> {
        let statement = self.statements.iter().find(|statement| statement.form == column.form);
        let contents = statement.map_or(&[][..], |statement| &statement.contents);
        let mut values = Vec::new();
        for content in contents {
            let places: Vec<(usize, i64)> = content
                .columns
                .iter()
                .enumerate()
                .filter(|(_, known)| {
                    (known.order, known.start, known.end)
                        == (column.order, column.start, column.end)
                })
                .map(|(place, known)| (place, known.part))
                .collect();
            for (row, account) in content.accounts.iter().enumerate() {
                for (place, part) in &places {
                    let value = content.value(row, *place);
                    values.extend(value.map(|value| ((*account, *part), value)));
                }
            }
        }
        values
    }

    /// The values as following forms restate them, where they differ. What is computed is made of restated columns alone, or
    /// not restated: a difference of two bases says nothing.
    pub(crate) fn restated(
        &self,
        PeriodRecipe(recipe): &PeriodRecipe,
        names: &AccountNames,
    ) -> Option<PeriodValues> {
        let restated = self.make(&self.restated_recipe(recipe)?);
        let told = |period: &PeriodValues| {
            let mut told = by_code(&period.values, names);
            // Computed periods are not shown per share.
            told.retain(|(code, ..)| !(period.is_computed && is_per_share(code)));
            told
        };
        let differs = told(&self.make(recipe)) != told(&restated);
        differs.then_some(PeriodValues { origin: StatementOrigin::Restated, ..restated })
    }

    /// Applies the recipe to the comparison columns of the following forms.
    fn restated_recipe(&self, recipe: &Recipe) -> Option<Recipe> {
        Some(match recipe {
            Recipe::Filed(column) => Recipe::Filed(self.comparative(column)?),
            Recipe::Difference(whole, before) => {
                Recipe::Difference(self.comparative(whole)?, self.comparative(before)?)
            }
            Recipe::Sum(quarters) => {
                let quarters = quarters.iter().map(|quarter| self.restated_recipe(quarter));
                Recipe::Sum(quarters.collect::<Option<_>>()?)
            }
        })
    }

    /// The column of the same days in the following form of the same kind.
    fn comparative(&self, column: &FormColumn) -> Option<FormColumn> {
        let form = self.forms[column.form].key.form;
        // The oldest of the later forms.
        let later =
            self.of(form).filter(|later| self.forms[later.form].key.period_end > column.end);
        let comparatives = later.filter_map(|later| {
            let previous = columns(later, ColumnOrder::Previous);
            previous
                .into_iter()
                .find(|known| (known.start, known.end) == (column.start, column.end))
        });
        comparatives.last()
    }
}

/// The longest column of a form's own period.
fn whole(statement: &FormStatement) -> Option<FormColumn> {
    let columns = columns(statement, ColumnOrder::Last);
    columns.into_iter().max_by_key(|column| (column.end, std::cmp::Reverse(column.start)))
}

/// The distinct periods of a form's columns.
fn columns(statement: &FormStatement, order: ColumnOrder) -> Vec<FormColumn> {
    let mut columns: Vec<FormColumn> = Vec::new();
    for content in &statement.contents {
        for StoredColumn { order: known, start, end, .. } in &content.columns {
            let column = FormColumn { form: statement.form, order, start: *start, end: *end };
            let is_own = order != ColumnOrder::Last || *end == statement.end;
            if *known == order && is_own && !columns.contains(&column) {
                columns.push(column);
            }
        }
    }
    columns
}

/// The values by the codes of their accounts and parts of equity, in order. An account that is missing is zero, and another
/// name does not make another account.
fn by_code<'n>(
    values: &[(AccountId, Decimal)],
    names: &'n AccountNames,
) -> Vec<(&'n str, Option<&'n str>, Decimal)> {
    let nonzero = values.iter().filter(|(_, value)| value.parts().0 != 0);
    let named = nonzero.filter_map(|((account, part), value)| {
        let (code, ..) = names.get(*account)?;
        Some((code.as_str(), names.get(*part).map(|(_, name, _)| name.as_str()), *value))
    });
    let mut named: Vec<_> = named.collect();
    named.sort();
    named
}

/// Companies file the cash flow by one of two methods. Of two tables that have both, the one with figures counts.
fn one_method(mut contents: Vec<Content>) -> Vec<Content> {
    let figures = |content: &Content| {
        content.values.iter().flatten().filter(|value| value.parts().0 != 0).count()
    };
    contents.sort_by_key(|content| std::cmp::Reverse(figures(content)));
    contents.truncate(1);
    contents
}

/// The months of a quarter in days, with room for short and long ones.
pub(crate) const QUARTER: std::ops::RangeInclusive<i32> = 80..=100;
/// Those of a year.
pub(crate) const YEAR: std::ops::RangeInclusive<i32> = 355..=380;

/// A column of a form: the place of its form, its first and its last day.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct FormColumn {
    pub(crate) form: usize,
    pub(crate) order: ColumnOrder,
    pub(crate) start: Option<Date>,
    pub(crate) end: Date,
}

/// How the values of a period are made.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    Filed(FormColumn),
    /// The first without the second.
    Difference(FormColumn, FormColumn),
    /// Four quarters, the newest first.
    Sum(Vec<Recipe>),
}

/// Adds or subtracts a column in a computed period.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Sign {
    Plus,
    Minus,
}

/// A period that a company has figures of.
#[derive(Clone, Debug)]
pub(crate) struct PeriodRecipe(pub(crate) Recipe);

impl PeriodRecipe {
    pub(crate) fn end(&self) -> Date {
        self.0.end()
    }
}

impl Recipe {
    pub(crate) fn end(&self) -> Date {
        match self {
            Recipe::Filed(column) | Recipe::Difference(column, _) => column.end,
            Recipe::Sum(quarters) => quarters.first().map_or(Date::MAX, Recipe::end),
        }
    }

    /// Every column that it is made of.
    pub(crate) fn columns(&self) -> Vec<&FormColumn> {
        match self {
            Recipe::Filed(column) => vec![column],
            Recipe::Difference(whole, before) => vec![whole, before],
            Recipe::Sum(quarters) => quarters.iter().flat_map(Recipe::columns).collect(),
        }
    }

    /// The columns that are added and subtracted, without those that cancel each other out.
    fn signed_columns(&self) -> Vec<(Sign, FormColumn)> {
        let quarters = match self {
            Recipe::Sum(quarters) => &quarters[..],
            Recipe::Filed(_) | Recipe::Difference(..) => std::slice::from_ref(self),
        };
        let mut signed: Vec<(Sign, FormColumn)> = Vec::new();
        for quarter in quarters {
            for (column, sign) in quarter.columns().into_iter().zip([Sign::Plus, Sign::Minus]) {
                let cancels = |known: &(Sign, FormColumn)| known.0 != sign && known.1 == *column;
                match signed.iter().position(cancels) {
                    Some(place) => drop(signed.remove(place)),
                    None => signed.push((sign, *column)),
                }
            }
        }
        signed
    }
}

impl FormColumn {
    fn has_days(&self, days: &std::ops::RangeInclusive<i32>) -> bool {
        let length = |start: Date| self.end.day_number() - start.day_number() + 1;
        self.start.is_some_and(|start| days.contains(&length(start)))
    }
}
