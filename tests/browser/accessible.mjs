// The rules of accessibility, held against a page by axe.
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const AXE = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const RULES = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

/** Fails with every rule that the page breaks, and where. */
export async function breaksNoRule(page) {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate((rules) => window.axe.run(document, { runOnly: rules }), RULES);
  const told = violations.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 160)).join(" | ")}`);
  assert.deepEqual(told, [], page.url());
}
