// What a caller writes with the types of openapi-typescript; it is compiled, not run.
import type { components, operations, paths } from "./openapi";

type Schemas = components["schemas"];
type History = paths["/api/v1/market/selic"]["get"]["responses"][200]["content"]["application/json"];
type Query = NonNullable<operations["searchCompanies"]["parameters"]["query"]>;

export const query: Query = { q: "petrobras", limit: 1 };
export const search: NonNullable<operations["searchFilings"]["parameters"]["query"]> = {
  q: '"conselho fiscal"',
  company: "PETR4",
  category: "assembleia",
  type: "ago",
  order: "relevance",
};
export const newest = (history: History): number | undefined => history.data[0]?.value;
export const more = (list: Schemas["CompanyList"]): boolean => list.offset + list.data.length < list.total;
export const source = (company: Schemas["CompanyDetail"]): string => `${company.name}: ${company.meta.source}`;
export const isNear = (list: Schemas["FilingList"]): boolean => list.meta.fuzzy ?? false;
export const label = (one: Schemas["Suggestion"]): string => `${one.type}: ${one.text} ${one.tickers?.join() ?? ""}`;
export const plan = (error: Schemas["Error"]): Schemas["PlanId"] | undefined => error.required_plan;
