// The pages as people meet them, in a real browser: node pages.mjs [PROGRAM] [--screenshots DIR] [--only WORDS] [--long]
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { Checks, newCaller, startBrowser, startServer } from "./harness.mjs";
import { registryChecks } from "./registry.mjs";

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
const SEEN = values.long ? VIEWS : [VIEWS[1], { width: 1280, scheme: "light", locale: "en-US" }];
const WAYS = [{ script: true, how: "without a reload" }, { script: false, how: "without JavaScript" }];
const HEADINGS = {
  "en-US": { "/": "Brazil’s financial data", "/nowhere": "Page not found" },
  "pt-BR": { "/": "Os dados financeiros do Brasil", "/nowhere": "Página não encontrada" },
};

const server = await startServer(program);
const browser = await startBrowser();
const checks = new Checks({ browser, server, only: values.only });
const check = checks.visit.bind(checks);
try {
  for (const view of SEEN) {
    const name = `${view.width} ${view.scheme} ${view.locale}`;
    await check(`${name}: home shows the figures of the API`, view, homeShowsTheFigures);
    await check(`${name}: charts show values on hover and on focus`, view, chartsShowValues);
    await check(`${name}: the copy button copies the first call`, view, copiesTheFirstCall);
    // Without JavaScript nothing depends on the scheme.
    for (const way of view.scheme === "light" ? WAYS : WAYS.slice(0, 1)) {
      const visit = { ...view, script: way.script };
      await check(`${name}: the button for a free key leads to the form, ${way.how}`, visit, freeKeyLeadsToTheForm);
      await check(`${name}: the pricing form yields a key that works, ${way.how}`, visit, pricingYieldsAKey);
      await check(`${name}: errors appear beside the field, ${way.how}`, visit, errorsStandBesideTheField);
      await check(`${name}: a new key leads into the reference and is exchanged and revoked, ${way.how}`, visit, newKeyLeadsOn);
      await check(`${name}: the usage page shows the count, ${way.how}`, visit, usageShowsTheCount);
      await check(`${name}: signing in leads back and out again, ${way.how}`, visit, signsInAndOut);
    }
    await check(`${name}: the reference is a page without a script of its own`, view, referenceIsReadPlainly);
    await check(`${name}: the usage page shows webhooks and their calls`, view, usageShowsWebhooks);
    // Its script takes seconds to run, whatever it looks like: both widths and both languages are enough.
    if (view.scheme === "dark") {
      await check(`${name}: the reference lists all operations`, view, referenceListsAll);
      await check(`${name}: the reference sends a request with a key`, view, referenceSends);
      await check(`${name}: the reference keeps the key while the tab is open`, view, referenceKeepsTheKey);
      await check(`${name}: the reference sends a request with the session`, view, referenceUsesTheSession);
      await check(`${name}: the reference leads home and to the other language`, view, referenceLeadsHome);
    }
    await check(`${name}: an address that is none has a page`, view, nowhereHasAPage);
    await check(`${name}: the other language is one click away`, view, languageSwitches);
    for (const [what, test] of registryChecks({ server, open, api })) await check(`${name}: ${what}`, view, test);
  }
  const plain = { ...VIEWS[0], script: false };
  for (const [what, test] of registryChecks({ server, open, api }).slice(3, 5)) {
    await check(`${what}, without JavaScript`, plain, test);
  }
  await check("charts show values on hover, are one stop, and copy buttons are hidden, without JavaScript", plain, chartsWorkPlainly);
  if (values.long) await check("the reference shows each operation", VIEWS[3], referenceShowsEach);
} finally {
  await browser.close();
  await server.stop();
}
process.exitCode = checks.finish();

/** Opens a page, which must come with this status, in the visitor's language, and fit the screen. */
async function open(visitor, view, path, status = 200) {
  const { page } = visitor;
  visitor.provoked.add(status);
  const response = await page.goto(path);
  assert.equal(response.status(), status, path);
  assert.match(response.headers()["content-type"], /^text\/html/);
  assert.equal(await page.locator("html").getAttribute("lang"), view.locale === "pt-BR" ? "pt-BR" : "en");
  await isWellShown(visitor, view, path);
}

/** Nothing is wider than the screen, and the background is of the chosen scheme. */
async function isWellShown(visitor, view, name) {
  const file = `${name.replaceAll(/[^\w.-]+/g, "-").replace(/^-+/, "") || "home"}-${view.width}-${view.scheme}-${view.locale}`;
  await visitor.screenshot(values.screenshots, view.script === false ? `${file}-plain` : file);
  if (view.script === false) return;
  const { wide, background } = await visitor.page.evaluate(() => ({
    wide: document.documentElement.scrollWidth - document.documentElement.clientWidth,
    background: getComputedStyle(document.body).backgroundColor,
  }));
  assert.ok(wide <= 0, `${name} is ${wide} pixels wider than the screen`);
  const [red = 0, , , alpha = 1] = background.match(/[\d.]+/g).map(Number);
  // The reference paints its own background inside the body, which stays transparent.
  if (alpha > 0) assert.equal(red < 128 ? "dark" : "light", view.scheme, background);
}

/** The API, as a program asks it. */
async function api(path, key) {
  const response = await fetch(server.address + path, { headers: { ...newCaller(), ...(key ? { "X-API-Key": key } : {}) } });
  return { status: response.status, plan: response.headers.get("x-plan"), json: await response.json() };
}

async function newKey() {
  const response = await fetch(`${server.address}/api/v1/plans/register`, {
    method: "POST",
    headers: { ...newCaller(), "Content-Type": "application/json" },
    body: JSON.stringify({ name: "Ana", email: "ana@example.com" }),
  });
  assert.equal(response.status, 201);
  return (await response.json()).api_key;
}


async function homeShowsTheFigures(visitor, view) {
  await open(visitor, view, "/");
  const { selic, cdi, ipca, fx, meta } = (await api("/api/v1/market/overview", await newKey())).json;
  const stale = ["selic", "cdi", "ipca", "fx"].map((name) => meta.indicators[name].stale);
  const figures = [selic, cdi, ipca, { date: fx.date, value: fx.sell }];
  const wanted = figures.map(({ date, value }) => ({ date, value }));
  const shown = await visitor.page.locator(".card").evaluateAll((cards) =>
    cards.map((card) => ({
      text: card.querySelector("data").textContent,
      value: card.querySelector("data").value,
      date: card.querySelector("time").dateTime,
      charts: card.querySelectorAll("figure.chart svg").length,
      age: card.querySelector(".age")?.textContent,
    })),
  );
  // What is not up to date shows its age, and nothing else does.
  assert.deepEqual(shown.map(({ age }) => age !== undefined), stale);
  const words = view.locale === "pt-BR" ? /^há \d+ (dias?|mês|meses)$/ : /^\d+ (days?|months?) old$/;
  for (const { age } of shown) if (age) assert.match(age, words);
  assert.deepEqual(shown.map(({ date, value }) => ({ date, value: Number(value) })), wanted);
  for (const { text, value, charts } of shown) {
    const decimal = view.locale === "pt-BR" ? value.replace(".", ",") : value;
    assert.equal(text, decimal.replace("-", "−"));
    assert.equal(charts, 1);
  }
  assert.ok((await visitor.page.locator("h1").innerText()).startsWith(HEADINGS[view.locale]["/"]));
}

/** The values that a chart shows, once they are `count`: the browser draws them a moment after the pointer moved. */
async function shownValues(chart, count) {
  const shown = () =>
    chart.locator(".value").evaluateAll((values) =>
      values.filter((value) => getComputedStyle(value).visibility === "visible").map((value) => value.textContent),
    );
  for (let tries = 0; tries < 100 && (await shown()).length !== count; tries += 1) await chart.page().waitForTimeout(50);
  return shown();
}

/** Fails unless a chart comes to show these values. */
async function shows(chart, wanted) {
  let shown = await shownValues(chart, wanted.length);
  for (let tries = 0; tries < 100 && shown.join() !== wanted.join(); tries += 1) {
    await chart.page().waitForTimeout(50);
    shown = await shownValues(chart, wanted.length);
  }
  assert.deepEqual(shown, wanted);
}

async function chartsShowValues(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/");
  const current = await page.locator(".card .figure data").allInnerTexts();
  for (const [nth, chart] of (await page.locator("figure.chart").all()).entries()) {
    await page.mouse.move(0, 0);
    await shows(chart, []);
    await chart.scrollIntoViewIfNeeded();
    const point = (which) => chart.locator(".point").nth(which);
    await point(-1).locator(".hit").hover();
    const [value] = await shownValues(chart, 1);
    assert.ok(value.endsWith(` · ${current[nth]}`), `${value} is not the current ${current[nth]}`);
    // The pointer's value goes before that of the keyboard.
    await point(-1).focus();
    await point(2).locator(".hit").hover();
    await shows(chart, [await point(2).locator(".value").textContent()]);
    await page.mouse.move(0, 0);
    await shows(chart, [value]);
    await page.keyboard.press("ArrowLeft");
    await shows(chart, [await point(-2).locator(".value").textContent()]);
    // The chart is one stop of the tab key.
    await page.keyboard.press("Tab");
    await shows(chart, []);
  }
  await labelsKeepApart(page);
}

/** No two labels of a chart overlap, and none is cut off. */
async function labelsKeepApart(page) {
  const wrong = await page.locator("figure.chart svg").evaluateAll((charts) =>
    charts.flatMap((chart) => {
      const frame = chart.getBoundingClientRect();
      const labels = [...chart.querySelectorAll(".axes text")].map((label) => [label.textContent, label.getBoundingClientRect()]);
      const out = labels.filter(([, box]) => box.left < frame.left - 1 || box.right > frame.right + 1 || box.bottom > frame.bottom + 1);
      const over = labels.filter(([, a], i) =>
        labels.slice(i + 1).some(([, b]) => a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom),
      );
      return [...out, ...over].map(([text]) => text);
    }),
  );
  assert.deepEqual(wrong, []);
}

async function chartsWorkPlainly(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/");
  const chart = page.locator("figure.chart").first();
  await chart.locator(".point .hit").first().hover();
  assert.equal((await shownValues(chart, 1)).length, 1);
  // The chart is one stop of the tab key; its points are none.
  await chart.locator("svg").focus();
  await page.keyboard.press("Tab");
  assert.equal(await chart.evaluate((figure) => figure.contains(document.activeElement)), false);
  assert.equal(await page.locator("[data-copy]").isVisible(), false);
}

async function copiesTheFirstCall(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/");
  const [label, done] = view.locale === "pt-BR" ? ["Copiar", "Copiado"] : ["Copy", "Copied"];
  const button = page.locator(".hero [data-copy]");
  assert.equal(await button.innerText(), label);
  await button.click();
  await page.locator(".hero [role=status]", { hasText: done }).waitFor({ state: "attached" });
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  assert.equal(copied, `curl ${server.address}/api/v1/market/overview`);
  await page.locator(".hero [data-copy]", { hasText: label }).waitFor();
}

async function freeKeyLeadsToTheForm(visitor, view) {
  const { page } = visitor;
  for (const start of ["/", `/?lang=${view.locale.slice(0, 2)}`]) {
    await open(visitor, view, start);
    await page.locator(".hero a.primary").click();
    await page.locator("#key form").waitFor();
    assert.equal(new URL(page.url()).hash, "#key");
    assert.equal(new URL(page.url()).search, new URL(start, server.address).search, "the language is lost");
    const box = await page.locator("#key form").boundingBox();
    assert.ok(box.y >= 0 && box.y + box.height <= 900, `the form is at ${box.y}`);
  }
  await open(visitor, view, "/pricing");
  const form = await page.locator("#key form").boundingBox();
  assert.ok(form.y + form.height <= 900, "the form is below the first screen");
  const table = await page.locator("table.comparison").boundingBox();
  assert.ok(table.x >= 0 && table.x + table.width <= view.width, `the comparison is ${table.width} wide`);
  const ticks = await page.locator("table.comparison td.tick").count();
  const dashes = await page.locator("table.comparison td.no").count();
  assert.deepEqual([ticks, dashes], [24, 16], "ten features on four plans, each included or not");
  const text = await page.locator("main").innerText();
  assert.doesNotMatch(text, /planned|not available yet|coming|em breve|ainda não/i);
}

async function pricingYieldsAKey(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/pricing");
  if (view.script) await page.evaluate(() => (window.stayed = true));
  await page.locator("[name=name]").fill("Ana & Filhos");
  await page.locator("[name=email]").fill("ana@example.com");
  await page.locator("#key form button").click();
  const key = await page.locator("#issued").innerText();
  assert.match(key, /^fin_[0-9A-Za-z]{38}$/);
  assert.ok(!page.url().includes(key), "the key is in the address");
  assert.ok((await page.locator("#key .command").innerText()).includes(`X-API-Key: ${key}`), "no curl with the key");
  if (view.script) {
    assert.equal(await page.evaluate(() => window.stayed), true, "the page was loaded again");
    for (const [id, text] of [["issued", key], ["first-call", await page.locator("#first-call").textContent()]]) {
      await page.locator(`[data-copy=${id}]`).click();
      await page.locator(`[data-copy=${id}] + [role=status]:not(:empty)`).waitFor({ state: "attached" });
      assert.equal(await page.evaluate(() => navigator.clipboard.readText()), text);
    }
  }
  await isWellShown(visitor, view, "pricing-key");
  const { status, plan } = await api("/api/v1/market/overview", key);
  assert.deepEqual([status, plan], [200, "free"]);
}

async function newKeyLeadsOn(visitor, view) {
  const { page, context } = visitor;
  await open(visitor, view, "/pricing");
  await page.locator("[name=name]").fill("Ana");
  await page.locator("[name=email]").fill("ana@example.com");
  await page.locator("#key form button").click();
  const key = await page.locator("#issued").innerText();
  // The key is in view, whole and focused.
  const box = await page.locator("#issued").boundingBox();
  assert.ok(box.y >= 0 && box.y + box.height <= 900 && box.x >= 0 && box.x + box.width <= view.width, JSON.stringify(box));
  if (view.script ?? true) {
    await page.waitForFunction(() => document.activeElement?.id === "issued");
    assert.equal(await page.evaluate(() => String(getSelection())), key);
    await visitor.hasNoBarriers();
  }
  await page.locator(".first-steps button").nth(1).click();
  await page.waitForURL("**/docs/try*");
  assert.ok(!page.url().includes(key));
  assert.deepEqual((await context.cookies()).map(({ name }) => name), ["session"]);

  await open(visitor, view, "/usage");
  visitor.provoked.add(201);
  await page.locator("#own-key summary").nth(0).click();
  await page.locator("form[action*='/usage/rotate'] [name=confirm]").check();
  await page.locator("form[action*='/usage/rotate'] button").click();
  const other = await page.locator("#issued").innerText();
  assert.match(other, /^fin_[0-9A-Za-z]{38}$/);
  assert.notEqual(other, key);
  assert.equal((await api("/api/v1/plans", key)).status, 401);
  assert.equal((await api("/api/v1/plans", other)).status, 200);
  await open(visitor, view, "/usage");
  await page.locator("#own-key summary").nth(1).click();
  await page.locator("form[action*='/usage/revoke'] [name=confirm]").check();
  if (view.script ?? true) await visitor.hasNoBarriers();
  await page.locator("form[action*='/usage/revoke'] button").click();
  await page.locator("header a.sign-in").waitFor();
  assert.equal((await api("/api/v1/plans", other)).status, 401);
}

async function errorsStandBesideTheField(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/pricing");
  visitor.provoked.add(400).add(401);
  // Both pass what browsers check themselves.
  for (const [wrong, name, email] of [["email", "Ana", "ana@example"], ["name", "   ", "ana@example.com"]]) {
    await page.locator("[name=name]").fill(name);
    await page.locator("[name=email]").fill(email);
    await page.locator("#key form button").click();
    await page.locator(`[name=${wrong}][aria-invalid=true]`).waitFor();
    assert.notEqual(await page.locator(`#wrong-${wrong}`).innerText(), "");
    const other = wrong === "name" ? "email" : "name";
    assert.equal(await page.locator(`#wrong-${other}`).innerText(), "");
    assert.equal(await page.locator("[name=email]").inputValue(), email, "what was typed is gone");
  }
  await open(visitor, view, "/usage");
  await page.locator("[name=key]").fill("fin_x");
  await page.locator("#usage form button").click();
  await page.locator("[name=key][aria-invalid=true]").waitFor();
  assert.notEqual(await page.locator("#wrong-key").innerText(), "");
}

async function usageShowsTheCount(visitor, view) {
  const { page } = visitor;
  const key = await newKey();
  for (const _ of "four") await api("/api/v1/market/selic/current", key);
  await api("/api/v1/market/selic?limit=0", key);
  await open(visitor, view, "/usage");
  await page.locator("[name=key]").fill(key);
  await page.locator("#usage form button").click();
  assert.equal(await page.locator("#requests").innerText(), "5");
  assert.equal(await page.locator("#remaining").innerText(), "25");
  assert.equal(await page.locator("#usage h2").innerText(), `${key.slice(0, 12)}…`);
  assert.deepEqual(await page.locator("#by-day tbody td").allInnerTexts(), ["5", "1", "0"]);
  const endpoints = await page.locator("#by-endpoint tbody tr").evaluateAll((rows) =>
    rows.map((row) => [...row.cells].map((cell) => cell.textContent)),
  );
  assert.deepEqual(endpoints, [["/api/v1/market/selic/current", "4"], ["/api/v1/market/selic", "1"]]);
  await page.locator("#usage .point .hit").last().hover();
  const [value] = await shownValues(page.locator("#usage figure.chart"), 1);
  assert.ok(value.endsWith(" · 5"), value);
  await labelsKeepApart(page);
  assert.ok(!page.url().includes(key), "the key is in the address");
  await isWellShown(visitor, view, "usage-known");
}

async function usageShowsWebhooks(visitor, view) {
  const { page } = visitor;
  const key = server.createKey("platinum");
  const send = async (path, body) => {
    const headers = { "X-API-Key": key, "Content-Type": "application/json" };
    const response = await fetch(server.address + path, { method: "POST", headers, body: body && JSON.stringify(body) });
    return response.json();
  };
  // The address is long, has something to escape, and nobody listens there.
  const url = `https://127.0.0.1:9/a-path-that-is-much-longer-than-a-narrow-screen-is-wide?a=1&b=%3Cb%3E`;
  const webhook = await send("/api/v1/webhooks", { url, events: ["filing.published"], company: "PETR4" });
  assert.match(webhook.secret, /^whsec_/);
  await send(`/api/v1/webhooks/${webhook.id}/test`);
  await open(visitor, view, "/usage");
  await page.locator("[name=key]").fill(key);
  await page.locator("#usage form button").click();
  const section = page.locator("#webhooks");
  await section.waitFor();
  const text = await section.innerText();
  for (const part of [url, webhook.id, "filing.published", "9512", "webhook.test"]) assert.ok(text.includes(part), part);
  assert.ok(!(await page.content()).includes(webhook.secret), "the secret is on the page");
  await isWellShown(visitor, view, "usage-webhooks");
}

/** Methods and paths, as openapi.yaml indents them. */
async function described() {
  const text = await (await fetch(`${server.address}/docs/openapi.yaml`)).text();
  const operations = [];
  let path;
  for (const line of text.slice(text.indexOf("\npaths:"), text.indexOf("\ncomponents:")).split("\n")) {
    path = line.match(/^ {2}(\/\S*):$/)?.[1] ?? path;
    const method = line.match(/^ {4}(get|post|put|patch|delete):$/)?.[1];
    if (method) operations.push(`${method.toUpperCase()} ${path}`);
  }
  for (const wanted of ["GET /api/v1/export/{dataset}", "GET /api/v1/events", "DELETE /api/v1/webhooks/{id}"]) {
    assert.ok(operations.includes(wanted), wanted);
  }
  return operations.sort();
}

/** The first button that sends a request. Operations are drawn as they come near, so the page is scrolled to them. */
async function sendButton(page, name = /Test Request/) {
  const button = page.getByRole("button", { name }).first();
  for (let tries = 0; tries < 50 && !(await button.isVisible()); tries += 1) {
    await page.mouse.wheel(0, 500);
    await page.waitForTimeout(100);
  }
  await button.waitFor();
  return button;
}

/** The links to operations in the reference's table of contents, all groups opened. */
async function contents(page) {
  await sendButton(page);
  const menu = page.getByRole("button", { name: "Open Menu" }).first();
  if (await menu.isVisible()) await menu.click();
  const closed = page.getByRole("button", { name: /^Open Group - (?!Models)/ });
  while ((await closed.count()) > 0) await closed.first().click();
  return page.locator("aside a[href*='#tag/'], nav a[href*='#tag/']");
}

function operationOf(link) {
  const [, method, path] = decodeURIComponent(link).match(/\/(GET|POST|PUT|PATCH|DELETE)(\/.*)$/) ?? [];
  return method && `${method} ${path}`;
}

async function referenceListsAll(visitor, view) {
  await open(visitor, view, "/docs/try");
  const links = await (await contents(visitor.page)).evaluateAll((links) => links.map((link) => link.href));
  assert.deepEqual([...new Set(links.map(operationOf).filter(Boolean))].sort(), await described());
  await isWellShown(visitor, view, "docs-contents");
}

async function referenceIsReadPlainly(visitor, view) {
  await open(visitor, view, "/docs");
  const { page } = visitor;
  const shown = await page.locator(".operation .endpoint > code").allInnerTexts();
  assert.deepEqual(shown.sort(), await described());
  if (view.script) await visitor.hasNoBarriers();
}

/** The interactive reference, its dialog and an answer in it; who is signed in needs no key. */
async function referenceUsesTheSession(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/sign-in");
  await page.fill("input[name=key]", server.createKey("platinum"));
  await page.locator("#sign-in button").click();
  await page.waitForURL("**/");
  assert.equal(await page.locator(".hero a[href*='#key']").count(), 0, "who has a key is offered one");
  await open(visitor, view, "/docs/try");
  await (await sendButton(page, /Test Request.*market\/selic/s)).click();
  await visitor.hasNoBarriers();
  const dialog = page.getByRole("dialog");
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/api/v1/market/selic")),
    dialog.getByRole("button", { name: /^Send/ }).locator("visible=true").first().click(),
  ]);
  assert.deepEqual([response.status(), response.headers()["x-plan"]], [200, "platinum"]);
  await dialog.getByText("200 OK").first().waitFor();
  await visitor.hasNoBarriers();
  assert.doesNotMatch(await page.content(), /QUxMIFlPVVIg/);
  assert.equal(await page.locator(".ascii-art").locator("visible=true").count(), 0);
}

async function referenceShowsEach(visitor, view) {
  await open(visitor, view, "/docs/try");
  const { page } = visitor;
  for (const link of await (await contents(page)).all()) {
    const operation = operationOf(await link.getAttribute("href"));
    if (!operation) continue;
    const [method, path] = operation.split(" ");
    await link.click();
    const section = page.locator(`section[id$="/${method}${path}"]`);
    await section.getByRole("button", { name: /Test Request/ }).first().waitFor();
  }
}

async function referenceSends(visitor, view) {
  const { page } = visitor;
  const key = await newKey();
  await open(visitor, view, "/docs/try");
  await (await sendButton(page, /Test Request.*market\/overview/s)).click();
  const dialog = page.getByRole("dialog");
  const send = async () => {
    const [response] = await Promise.all([
      page.waitForResponse((response) => response.url().includes("/api/v1/market/overview")),
      dialog.getByRole("button", { name: /^Send/ }).locator("visible=true").first().click(),
    ]);
    return response;
  };
  const without = await send();
  assert.deepEqual([without.status(), without.request().headers()["x-api-key"]], [200, undefined]);
  await dialog.locator(".scalar-password-input").fill(key);
  const response = await send();
  assert.equal(new URL(response.url()).pathname, "/api/v1/market/overview");
  assert.equal(response.status(), 200);
  assert.equal(response.request().headers()["x-api-key"], key);
  assert.equal(response.headers()["x-ratelimit-remaining"], "29", "it is not counted on the key");
  await dialog.getByText("200 OK").first().waitFor();
  await dialog.getByText("USD/BRL").first().waitFor();
  await isWellShown(visitor, view, "docs-request");
}

async function referenceKeepsTheKey(visitor, view) {
  const { page, context } = visitor;
  const field = (page) => page.locator(".scalar-password-input").first();
  await open(visitor, view, "/docs/try");
  await field(page).fill("fin_test");
  await page.waitForFunction(() => Object.values(window.sessionStorage).some((value) => value.includes("fin_test")));
  await page.reload();
  await page.waitForFunction(() => document.querySelector(".scalar-password-input")?.value === "fin_test");
  // Another tab has a storage of its own, and neither keeps the key for good.
  const other = await context.newPage();
  await other.goto("/docs/try");
  await field(other).waitFor();
  await sendButton(other);
  assert.equal(await field(other).inputValue(), "");
  await other.goto("/usage");
  assert.equal(await other.evaluate(() => JSON.stringify(window.localStorage)), "{}");
}

async function referenceLeadsHome(visitor, view) {
  const { page } = visitor;
  await open(visitor, view, "/docs/try");
  await sendButton(page);
  // The header stays in view over a long page.
  await page.mouse.wheel(0, 3000);
  for (const path of ["/pricing", "/usage"]) await page.locator(`body > header a[href="${path}"]`).click({ trial: true });
  await page.locator("body > header .brand").click();
  assert.ok((await page.locator("h1").innerText()).startsWith(HEADINGS[view.locale]["/"]));
  await open(visitor, view, "/docs/try");
  await page.locator("body > header a.language").click();
  await page.locator(`html[lang=${view.locale === "pt-BR" ? "en" : "pt-BR"}]`).waitFor();
}

async function nowhereHasAPage(visitor, view) {
  await open(visitor, view, "/nowhere", 404);
  assert.equal(await visitor.page.locator("h1").innerText(), HEADINGS[view.locale]["/nowhere"]);
  await visitor.page.locator("main a[href^='/']").first().click();
  assert.ok((await visitor.page.locator("h1").innerText()).startsWith(HEADINGS[view.locale]["/"]));
  assert.equal((await api("/nowhere")).json.error, "not_found");
}

async function languageSwitches(visitor, view) {
  const other = view.locale === "pt-BR" ? "en" : "pt-BR";
  await open(visitor, view, "/");
  await visitor.page.locator("a.language").click();
  await visitor.page.locator(`html[lang=${other}]`).waitFor();
  // The choice is kept from page to page.
  await visitor.page.locator("header nav a[href*='/pricing']").click();
  await visitor.page.locator(`html[lang=${other}] #key`).waitFor();
}

async function signsInAndOut(visitor, view) {
  const { page, context } = visitor;
  const key = server.createKey("gold");
  await open(visitor, view, "/pricing");
  await page.locator("header a.sign-in").click();
  visitor.provoked.add(401);
  await page.fill("input[name=key]", "fin_wrong");
  await page.locator("#sign-in button").click();
  await page.locator("#wrong-key:not(:empty)").waitFor();
  await page.fill("input[name=key]", key);
  await page.locator("#sign-in button").click();
  await page.waitForURL("**/pricing");
  // The browser keeps a session that no script reads, and the key nowhere.
  const [cookie, ...others] = await context.cookies();
  assert.deepEqual([cookie.name, cookie.httpOnly, cookie.sameSite, others.length], ["session", true, "Lax", 0]);
  const stored = JSON.stringify([cookie, await context.storageState(), page.url()]);
  assert.ok(!stored.includes(key) && !stored.includes(key.slice(0, 16)));
  for (const path of ["/", "/usage", "/sign-in"]) {
    await open(visitor, view, path);
    assert.match(await page.locator("header .signed-in").innerText(), /Gold/);
  }
  await open(visitor, view, "/usage");
  assert.equal(await page.locator("#remaining").innerText(), "500");
  await visitor.screenshot(values.screenshots, `signed-in-${view.width}-${view.scheme}-${view.locale}`);
  await open(visitor, view, "/docs");
  await page.locator("header .signed-in button").click();
  await page.locator("header a.sign-in").waitFor();
  assert.deepEqual(await context.cookies(), []);
}
