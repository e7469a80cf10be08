// The pages as people meet them, in a real browser: node pages.mjs [PROGRAM] [--screenshots DIR]
import assert from "node:assert/strict";
import { parseArgs } from "node:util";
import { fileURLToPath } from "node:url";
import { Checks, Visitor, newCaller, startBrowser, startServer } from "./harness.mjs";

const { values, positionals } = parseArgs({ allowPositionals: true, options: { screenshots: { type: "string" } } });
const program = positionals[0] ?? fileURLToPath(new URL("../../target/release/finserve", import.meta.url));

const VIEWS = [390, 1280].flatMap((width) =>
  ["light", "dark"].flatMap((scheme) => ["en-US", "pt-BR"].map((locale) => ({ width, scheme, locale }))),
);
const WAYS = [{ script: true, how: "without a reload" }, { script: false, how: "without JavaScript" }];
const HEADINGS = {
  "en-US": { "/": "Brazil’s financial data", "/nowhere": "There is nothing here" },
  "pt-BR": { "/": "Os dados financeiros do Brasil", "/nowhere": "Não há nada aqui" },
};

const server = await startServer(program);
const browser = await startBrowser();
const checks = new Checks();
try {
  for (const view of VIEWS) {
    const name = `${view.width} ${view.scheme} ${view.locale}`;
    await check(`${name}: home shows the figures of the API`, view, homeShowsTheFigures);
    for (const way of WAYS) {
      // What the server sends is the same in either scheme.
      if (!way.script && view.scheme === "dark") continue;
      const visit = { ...view, script: way.script };
      await check(`${name}: the pricing form yields a key that works, ${way.how}`, visit, pricingYieldsAKey);
      await check(`${name}: errors appear beside the field, ${way.how}`, visit, errorsStandBesideTheField);
      await check(`${name}: the usage page shows the count, ${way.how}`, visit, usageShowsTheCount);
    }
    await check(`${name}: the reference lists all operations`, view, referenceListsAll);
    await check(`${name}: the reference sends a request with a key`, view, referenceSends);
    await check(`${name}: an address that is none has a page`, view, nowhereHasAPage);
    await check(`${name}: the other language is one click away`, view, languageSwitches);
  }
  await check("the reference shows each operation", VIEWS.find((view) => view.width > 1000), referenceShowsEach);
} finally {
  await browser.close();
  server.stop();
}
process.exitCode = checks.finish();

/** A check by a fresh visitor, who must have seen nothing wrong meanwhile. */
function check(name, view, test) {
  return checks.run(name, async () => {
    const visitor = await Visitor.arrive(browser, server, view);
    try {
      await test(visitor, view);
    } catch (error) {
      error.message += `\n${visitor.wrongs.join("\n")}`;
      await visitor.context.close();
      throw error;
    }
    await visitor.leave();
  });
}

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
  const file = `${name.replaceAll("/", "") || "home"}-${view.width}-${view.scheme}-${view.locale}`;
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
  const { selic, cdi, ipca, fx } = (await api("/api/v1/market/overview", await newKey())).json;
  const wanted = [selic, cdi, ipca, { date: fx.date, value: fx.sell }];
  const shown = await visitor.page.locator(".card").evaluateAll((cards) =>
    cards.map((card) => ({
      text: card.querySelector("data").textContent,
      value: card.querySelector("data").value,
      date: card.querySelector("time").dateTime,
      charts: card.querySelectorAll("svg title").length,
    })),
  );
  assert.deepEqual(shown.map(({ date, value }) => ({ date, value: Number(value) })), wanted);
  for (const { text, value, charts } of shown) {
    const decimal = view.locale === "pt-BR" ? value.replace(".", ",") : value;
    assert.equal(text, decimal.replace("-", "−"));
    assert.equal(charts, 1);
  }
  assert.ok((await visitor.page.locator("h1").innerText()).startsWith(HEADINGS[view.locale]["/"]));
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
    await page.locator("[data-copy]").click();
    assert.equal(await page.evaluate(() => navigator.clipboard.readText()), key);
  }
  await isWellShown(visitor, view, "pricing-key");
  const { status, plan } = await api("/api/v1/market/overview", key);
  assert.deepEqual([status, plan], [200, "free"]);
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
  assert.deepEqual(await page.locator("#usage tbody td").allInnerTexts(), ["5", "1", "0"]);
  assert.ok(!page.url().includes(key), "the key is in the address");
  await isWellShown(visitor, view, "usage-known");
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
  assert.ok(operations.length > 20);
  return operations.sort();
}

/** The links to operations in the reference's table of contents, all groups opened. */
async function contents(page) {
  await page.getByRole("button", { name: /Test Request/ }).first().waitFor();
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
  await open(visitor, view, "/docs");
  const links = await (await contents(visitor.page)).evaluateAll((links) => links.map((link) => link.href));
  assert.deepEqual([...new Set(links.map(operationOf).filter(Boolean))].sort(), await described());
  await isWellShown(visitor, view, "docs-contents");
}

async function referenceShowsEach(visitor, view) {
  await open(visitor, view, "/docs");
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
  await open(visitor, view, "/docs");
  await page.getByRole("button", { name: /Test Request.*market\/overview/s }).first().click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("button", { name: "Select Auth Type" }).click();
  await page.getByRole("option", { name: "ApiKey" }).click();
  await dialog.locator(".scalar-password-input").fill(key);
  const [response] = await Promise.all([
    page.waitForResponse((response) => response.url().includes("/api/v1/market/overview")),
    dialog.getByRole("button", { name: /^Send/ }).locator("visible=true").first().click(),
  ]);
  assert.equal(new URL(response.url()).pathname, "/api/v1/market/overview");
  assert.equal(response.status(), 200);
  assert.equal(response.request().headers()["x-api-key"], key);
  assert.equal(response.headers()["x-ratelimit-remaining"], "29", "it is not counted on the key");
  await dialog.getByText("200 OK").first().waitFor();
  await dialog.getByText("USD/BRL").first().waitFor();
  await isWellShown(visitor, view, "docs-request");
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
  await visitor.page.locator("header nav a").nth(1).click();
  await visitor.page.locator(`html[lang=${other}] #key`).waitFor();
}
