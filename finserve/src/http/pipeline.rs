//! The steps of a request, in order: dispatch, target, session, limit, plan, cache, answer, respond.
pub(crate) mod answer;
pub(crate) mod answer_cache;
pub(crate) mod answer_cost;
pub(crate) mod app;
pub(crate) mod dispatch;
pub(crate) mod link_scope;
pub(crate) mod local_queries;
pub(crate) mod mcp_dispatch;
pub(crate) mod query_answer;
pub(crate) mod respond;
pub(crate) mod route_table;
pub(crate) mod session;
pub(crate) mod target;
mod uncounted_answers;
