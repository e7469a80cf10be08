// What a caller writes with the client of openapi-generator; it is compiled, not run.
import { CompaniesApi, Configuration, MarketApi, ResponseError } from "./typescript-fetch";
import type { ModelError } from "./typescript-fetch";

const settings = new Configuration({ basePath: "http://127.0.0.1:8080", apiKey: "fin_…" });

export async function newestSelic(): Promise<number | undefined> {
  const history = await new MarketApi(settings).getSelicHistory({ limit: 1, offset: 0 });
  return history.data[0]?.value;
}

export async function companySource(id: string): Promise<string> {
  try {
    const company = await new CompaniesApi(settings).getCompany({ id });
    return `${company.tradeName ?? company.name}: ${company.meta.source}`;
  } catch (error) {
    if (!(error instanceof ResponseError)) throw error;
    const refused: ModelError = await error.response.json();
    return refused.message;
  }
}
