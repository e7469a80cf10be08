// The pages of companies and filings: found with the mouse, with the keyboard and without JavaScript, on every plan.
import assert from "node:assert/strict";
import { breaksNoRule } from "./accessible.mjs";

/** The checks as pairs of a name and a function of a visitor and a view. */
export function registryChecks({ server, open, api }) {
  const gold = server.createKey("gold");

  /** Signs in with a key, as a visitor does. */
  async function signIn(visitor, view, key) {
    const { page } = visitor;
    await open(visitor, view, "/sign-in");
    await page.locator("[name=key]").fill(key);
    await page.locator("main form button").click();
    await page.locator(".signed-in").waitFor();
  }

  async function everyPageIsAccessible(visitor, view) {
    const wanted = ["/", "/companies?q=banco", "/companies/4170", "/companies/4170/statements?period=quarter", "/companies/compare?ids=VALE3,PETR4", "/companies/screen?year=2024", "/filings?q=assembleia&page=2", "/filings?company=4170"];
    for (const path of wanted) {
      await open(visitor, view, path);
      await breaksNoRule(visitor.page);
    }
    await signIn(visitor, view, gold);
    for (const path of wanted) {
      await open(visitor, view, path);
      await breaksNoRule(visitor.page);
    }
    await visitor.page.locator("table.rows tbody th a").first().click();
    await visitor.page.locator("a[rel=noopener]").waitFor();
    await breaksNoRule(visitor.page);
    await open(visitor, view, "/filings?company=nobody", 400);
    await breaksNoRule(visitor.page);
  }

  async function suggestionsByKeyboard(visitor, view) {
    const { page } = visitor;
    await signIn(visitor, view, gold);
    await open(visitor, view, "/companies");
    const field = page.getByRole("combobox", { name: /CNPJ/ });
    await field.focus();
    await page.keyboard.type("petrobras");
    const list = page.getByRole("listbox");
    await list.waitFor();
    assert.equal(await field.getAttribute("aria-expanded"), "true");
    await breaksNoRule(page);
    await page.keyboard.press("Escape");
    await list.waitFor({ state: "hidden" });
    assert.equal(await field.inputValue(), "petrobras");
    await page.keyboard.press("Backspace");
    await list.waitFor();
    await page.keyboard.press("ArrowDown");
    const active = await field.getAttribute("aria-activedescendant");
    const option = page.locator(`#${active}[aria-selected=true]`);
    assert.match(await option.innerText(), /PETROBRAS/);
    await page.keyboard.press("ArrowUp");
    assert.notEqual(await field.getAttribute("aria-activedescendant"), active, "the arrow goes round");
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    await page.waitForURL(/\/companies\/\d+$/);
    assert.match(await page.locator("h1").innerText(), /PETROBRAS/);
  }

  async function materialFactsByMouse(visitor, view) {
    const { page } = visitor;
    await signIn(visitor, view, gold);
    await open(visitor, view, "/");
    await page.locator("header nav a[href='/companies']").click();
    await page.locator("#q").click();
    await page.locator("#q").fill("vale");
    if (view.script === false) {
      await page.locator("form.filters button").click();
      await page.locator("table.rows a[href='/companies/4170']").click();
    } else {
      await page.getByRole("option", { name: "VALE S.A." }).click();
    }
    await page.locator("h1", { hasText: "VALE S.A." }).waitFor();
    await page.locator(".categories a", { hasText: "Fato Relevante" }).click();
    await page.locator("[name=from]").fill("2024-01-01");
    await page.locator("[name=to]").fill("2024-12-31");
    await page.locator("form.filters button").click();
    await page.waitForURL(/to=2024-12-31/);
    const { json } = await api("/api/v1/filings?company=4170&category=fato+relevante&from=2024-01-01&to=2024-12-31", gold);
    assert.match(await page.locator("#results").innerText(), new RegExp(`^${json.total} `));
    assert.equal(await page.locator("table.rows tbody tr").count(), Math.min(20, json.total));
    if (view.script !== false) assert.doesNotMatch(page.url(), /=(&|$)/, "empty fields are in the address");
    // The address is the whole view: whoever opens it sees the same.
    const shown = await page.locator("table.rows").innerText();
    await page.goto(page.url());
    assert.equal(await page.locator("table.rows").innerText(), shown);
    // Back and forth between pages of the list.
    await page.locator(".pager a[rel=next]").click();
    await page.locator(".pager a[rel=prev]").waitFor();
    assert.equal(await page.locator("table.rows tbody tr").count(), json.total - 20);
  }

  async function materialFactsByKeyboard(visitor, view) {
    const { page } = visitor;
    await signIn(visitor, view, gold);
    await open(visitor, view, "/filings");
    const reach = async (id) => {
      for (let presses = 0; presses < 40; presses += 1) {
        await page.keyboard.press("Tab");
        if ((await page.evaluate(() => document.activeElement.id)) === id) return;
      }
      assert.fail(`Tab does not reach ${id}`);
    };
    await reach("q");
    await page.keyboard.type("fato relevante 2024");
    await reach("company");
    await page.keyboard.type("vale");
    await page.getByRole("listbox").waitFor();
    await breaksNoRule(page);
    await page.keyboard.press("ArrowDown");
    await page.keyboard.press("Enter");
    assert.equal(await page.locator("#company").inputValue(), "4170", "the company that is chosen fills the field");
    await page.keyboard.press("Enter");
    await page.waitForURL(/company=4170/);
    const { json } = await api("/api/v1/filings/search?q=fato+relevante+2024&company=4170", gold);
    assert.ok(json.total > 20);
    assert.match(await page.locator("#results").innerText(), new RegExp(`^${json.total} `));
  }

  async function strangersSeeAPreview(visitor, view) {
    const { page } = visitor;
    for (const path of ["/companies?q=banco", "/filings?q=assembleia"]) {
      await open(visitor, view, path);
      assert.equal(await page.locator("table.rows tbody tr").count(), 3);
      assert.ok(await page.locator(".upgrade a.primary").isVisible());
      assert.equal(await page.locator("[role=combobox], .pager").count(), 0);
    }
    await page.locator(".upgrade a[href^='/sign-in']").click();
    await page.locator("[name=key]").fill(gold);
    await page.locator("main form button").click();
    await page.waitForURL(/\/filings\?q=assembleia/);
    assert.equal(await page.locator("table.rows tbody tr").count(), 20, "signing in leads back to the view");
  }

  async function printsThePageOnly(visitor, view) {
    const { page } = visitor;
    await signIn(visitor, view, gold);
    await open(visitor, view, "/companies/4170");
    await page.emulateMedia({ media: "print", colorScheme: view.scheme });
    for (const part of ["header nav", ".signed-in", "a.language", ".actions"]) {
      assert.equal(await page.locator(part).first().isVisible(), false, part);
    }
    assert.ok(await page.locator(".timeline").isVisible());
    const background = await page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    assert.equal(background, "rgb(255, 255, 255)");
  }

  return [
    ["companies and filings break no rule of accessibility", everyPageIsAccessible],
    ["suggestions are walked through by keyboard", suggestionsByKeyboard],
    ["the material facts of a company are found with the keyboard", materialFactsByKeyboard],
    ["the material facts of a company are found with the mouse", materialFactsByMouse],
    ["strangers see a preview and are led back", strangersSeeAPreview],
    ["a company is printed without what surrounds it", printsThePageOnly],
  ];
}
