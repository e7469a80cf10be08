// The pages of the market and the calculators, in a real browser: node explore.mjs [PROGRAM] [--screenshots DIR] [--only WORDS] [--long]
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { Checks, newCaller, startBrowser, startServer } from "./harness.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { screenshots: { type: "string" }, only: { type: "string" }, long: { type: "boolean" } } });
const program = positionals[0] ?? fileURLToPath(new URL("../../target/release/finserve", import.meta.url));

// Every width with every scheme and every language, and every scheme in every language.
const VIEWS = [
  { width: 390, scheme: "light", locale: "en-US" },
  { width: 390, scheme: "dark", locale: "pt-BR" },
  { width: 1280, scheme: "light", locale: "pt-BR" },
  { width: 1280, scheme: "dark", locale: "en-US" },
];
// Two of them have each width, scheme and language once; the long form has all.
const FITTED = values.long ? VIEWS : [VIEWS[1], { width: 1280, scheme: "light", locale: "en-US" }];
// Every kind of page, and every state of it that looks different.
const PAGES = {
  home: "/",
  pricing: "/pricing",
  usage: "/usage",
  "sign-in": "/sign-in",
  legal: "/legal",
  status: "/status",
  reference: "/docs",
  guide: "/docs/guide/search",
  market: "/market",
  ipca: "/market/ipca",
  "selic-all": "/market/selic?range=all",
  decisions: "/market/selic/decisions",
  credit: "/market/credit",
  dollar: "/market/fx/usd-brl?range=3m",
  compare: "/market/compare?series=ipca,igp-m&units=accumulated_12m",
  "compare-units": "/market/compare?series=ipca,usd-sell,selic",
  "ipca-12m": "/market/ipca?units=accumulated_12m",
  statements: "/companies/9512/statements?kind=balance-sheet",
  "compare-companies": "/companies/compare?ids=PETR4,VALE3",
  screen: "/companies/screen?order=-revenue",
  calc: "/calc",
  correction: "/calc/correction",
  corrected: "/calc/correction?amount=1000&index=ipca&from=2020-01-01",
  "corrected-old": "/calc/correction?amount=1000000&index=ipca&from=1990-01-01&to=2026-08-01&percent=90&spread=2.5",
  accumulated: "/calc/accumulated?series=cdi&from=2024-01-01",
  converted: "/calc/convert?amount=100&from=EUR&to=USD&date=2026-02-01",
  "real-rate": "/calc/real-rate?from=2025-01",
  rate: "/calc/rate?value=13.75&from=year252&to=month",
};
const WRONG = { "wrong-amount": "/calc/correction?amount=much&index=ipca&from=2020-01-01", "wrong-day": "/calc/accumulated?series=ipca&from=1900-01-01" };

const server = await startServer(program);
const browser = await startBrowser();
const checks = new Checks({ browser, server, only: values.only });
const check = checks.visit.bind(checks);
try {
  for (const view of FITTED) {
    const name = `${view.width} ${view.scheme} ${view.locale}`;
    for (const [page, path] of Object.entries(PAGES)) {
      await check(`${name}: ${page} fits and has no barriers`, view, (visitor) => isFit(visitor, view, page, path, 200));
    }
    for (const [page, path] of Object.entries(WRONG)) {
      await check(`${name}: ${page} is told and has no barriers`, view, (visitor) => isFit(visitor, view, page, path, 400));
    }
  }
  for (const view of [VIEWS[0], VIEWS[2]]) {
    const name = `${view.width} ${view.scheme} ${view.locale}`;
    for (const script of [true, false]) {
      const how = script ? "with JavaScript" : "without JavaScript";
      await check(`${name}: inflation of twelve months by mouse, ${how}`, { ...view, script }, inflationByMouse);
      await check(`${name}: a corrected amount by mouse, ${how}`, { ...view, script }, correctionByMouse);
      await check(`${name}: a corrected amount by keyboard, ${how}`, { ...view, script }, correctionByKeyboard);
    }
    await check(`${name}: the curve tells its values to the pointer and the keyboard`, view, curveTellsValues);
    await check(`${name}: the other language shows the same result`, view, languageKeepsTheResult);
  }
} finally {
  await browser.close();
  await server.stop();
}
process.exitCode = checks.finish();

/** The page comes, in the visitor's language, is not wider than the screen, and axe finds nothing. */
async function isFit(visitor, view, name, path, status) {
  const { page } = visitor;
  visitor.provoked.add(status);
  const response = await page.goto(path);
  assert.equal(response.status(), status, path);
  assert.equal(await page.locator("html").getAttribute("lang"), view.locale === "pt-BR" ? "pt-BR" : "en");
  for (const details of await page.locator("details").all()) await details.evaluate((element) => (element.open = true));
  const wide = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  await visitor.screenshot(values.screenshots, `${name}-${view.width}-${view.scheme}-${view.locale}`);
  assert.ok(wide <= 0, `${path} is ${wide} pixels wider than the screen`);
  await visitor.hasNoBarriers();
  await labelsKeepApart(page);
}

/** No two labels of a chart overlap, and none is cut off. */
async function labelsKeepApart(page) {
  const wrong = await page.locator("figure.chart svg").evaluateAll((charts) =>
    charts.flatMap((chart) => {
      const frame = chart.getBoundingClientRect();
      const labels = [...chart.querySelectorAll(".axes text")].map((text) => ({ text: text.textContent, box: text.getBoundingClientRect() }));
      const cut = labels.filter(({ box }) => box.left < frame.left - 1 || box.right > frame.right + 1);
      const near = labels.flatMap((one, at) => labels.slice(at + 1).filter((other) =>
        one.box.left < other.box.right && other.box.left < one.box.right && one.box.top + 2 < other.box.bottom && other.box.top + 2 < one.box.bottom));
      return [...cut, ...near].map(({ text }) => text);
    }),
  );
  assert.deepEqual(wrong, [], "labels overlap or are cut off");
}

async function api(path) {
  return (await fetch(server.address + path, { headers: newCaller() })).json();
}

async function inflationByMouse(visitor) {
  const { page } = visitor;
  await page.goto("/");
  await page.locator("header nav a[href*='/market']").click();
  await page.locator(".market a[href$='/market/ipca']").click();
  const months = (await api("/api/v1/market/ipca?limit=12")).data;
  assert.equal(await page.locator(".ranges a[aria-current]").count(), 1);
  const shown = await page.locator(".history tbody time").evaluateAll((times) => times.map((time) => time.dateTime));
  assert.deepEqual(shown, months.map(({ date }) => date));
  assert.equal(await page.locator("figure.chart .bar").count(), 12);
}

async function correctionByMouse(visitor, view) {
  const { page } = visitor;
  await page.goto("/");
  await page.locator("header nav a[href*='/calc']").click();
  await page.locator(".card a").first().click();
  await page.locator("form.calculator button").click();
  await isCorrected(page, view);
}

async function correctionByKeyboard(visitor, view) {
  const { page } = visitor;
  await page.goto("/calc/correction");
  await page.locator("#field-amount").focus();
  await page.keyboard.press("ControlOrMeta+A");
  await page.keyboard.type(view.locale === "pt-BR" ? "1.000,00" : "1,000.00");
  await page.keyboard.press("Enter");
  await isCorrected(page, view);
}

async function isCorrected(page, view) {
  await page.locator("#result").waitFor();
  const { result } = await api("/api/v1/calc/correction?amount=1000&from=2020-01-01&index=ipca");
  const data = page.locator(".result > .figure data");
  assert.equal(Number(await data.getAttribute("value")), result);
  assert.equal(await data.innerText(), result.toLocaleString(view.locale, { minimumFractionDigits: 2 }));
}

async function curveTellsValues(visitor) {
  const { page } = visitor;
  await page.goto("/market/fx/usd-brl?range=3m");
  const chart = page.locator("figure.chart");
  const visible = () => chart.locator(".value").evaluateAll((all) =>
    all.filter((value) => getComputedStyle(value).visibility === "visible").map((value) => value.textContent));
  assert.deepEqual(await visible(), []);
  await chart.scrollIntoViewIfNeeded();
  await chart.locator(".point .hit").nth(-1).hover();
  const [hovered] = await visible();
  assert.ok(hovered.endsWith(await page.locator(".newest data").last().innerText()), hovered);
  await page.mouse.move(0, 0);
  await chart.locator(".point").nth(-1).focus();
  assert.deepEqual(await visible(), [hovered]);
  await page.keyboard.press("ArrowLeft");
  assert.notDeepEqual(await visible(), [hovered]);
}

async function languageKeepsTheResult(visitor) {
  const { page } = visitor;
  await page.goto("/calc/correction?amount=1234.5&index=ipca&from=2020-01-01");
  const result = await page.locator(".result > .figure data").getAttribute("value");
  const language = await page.locator("html").getAttribute("lang");
  await page.locator("a.language").click();
  assert.notEqual(await page.locator("html").getAttribute("lang"), language);
  assert.equal(await page.locator(".result > .figure data").getAttribute("value"), result);
}
