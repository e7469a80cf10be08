// Lighthouse over pages of each kind, or over all: node lighthouse.mjs [PROGRAM] [--long]
// Scores that depend on the page only, and its weight in bytes and requests; how fast it is depends on the machine.
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { launch } from "chrome-launcher";
import lighthouse from "lighthouse";
import { Checks, QUIET, newCaller, startServer } from "./harness.mjs";

const program = process.argv[2] ?? fileURLToPath(new URL("../../target/release/finserve", import.meta.url));

const LIGHT = { bytes: 300_000, requests: 8 };
// The page that draws itself with a script of 1.4 MB.
const HEAVY = { bytes: 2_000_000, requests: 12 };
const PAGES = [
  "/", "/market", "/market/ipca", "/market/selic?range=all", "/market/fx/usd-brl", "/calc",
  "/calc/correction?amount=1000&index=ipca&from=2020-01-01", "/companies", "/companies/9512", "/filings", "/status", "/pricing",
  "/legal", "/usage", "/sign-in", "/docs", "/docs/guide", "/docs/try",
];
// With most to draw, and with most to load.
const SOME = ["/", "/market/ipca", "/companies/9512", "/pricing", "/docs", "/docs/try"];
// Search engines are told to leave these alone, which Lighthouse counts as a fault.
const NOT_LISTED = ["/usage", "/sign-in"];
const LEAST = { accessibility: 0.97, "best-practices": 0.95, seo: 0.95 };

const server = await startServer(program);
const browser = await launch({ chromePath: process.env.CHROMIUM ?? "/usr/bin/chromium", chromeFlags: ["--headless=new", ...QUIET] });
const checks = new Checks({ server });
try {
  for (const path of process.argv.includes("--long") ? PAGES : SOME) await checks.run(`${path} by Lighthouse`, () => isGood(path));
} finally {
  browser.kill();
  await server.stop();
}
process.exitCode = checks.finish();

async function isGood(path) {
  const { lhr } = await lighthouse(server.address + path, {
    port: browser.port,
    logLevel: "error",
    onlyCategories: Object.keys(LEAST),
    onlyAudits: ["network-requests"],
    skipAudits: NOT_LISTED.includes(path) ? ["is-crawlable"] : null,
    // Nothing is slowed down while the page loads, and nobody looks at its picture.
    throttlingMethod: "simulate",
    disableFullPageScreenshot: true,
    extraHeaders: newCaller(),
  });
  assert.equal(lhr.runtimeError, undefined, JSON.stringify(lhr.runtimeError));
  for (const [category, least] of Object.entries(LEAST)) {
    const { score, auditRefs } = lhr.categories[category];
    const faults = auditRefs.map(({ id }) => lhr.audits[id]).filter((audit) => audit.score !== null && audit.score < 0.9);
    assert.ok(score >= least, `${category} ${score}: ${faults.map(({ id, title }) => `${id} (${title})`).join(", ")}`);
  }
  const loaded = lhr.audits["network-requests"].details.items.filter(({ url }) => url.startsWith("http"));
  const bytes = loaded.reduce((sum, { transferSize }) => sum + transferSize, 0);
  const { bytes: most, requests } = path === "/docs/try" ? HEAVY : LIGHT;
  assert.ok(bytes <= most && loaded.length <= requests, `${bytes} bytes in ${loaded.length} requests`);
}
