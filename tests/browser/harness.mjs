// A server and a browser of our own, and checks that are counted.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, mkdtempSync, openSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { chromium } from "playwright-core";

// Nothing of the browser's own may use the network: every request seen is one of the page.
export const QUIET = [
  "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
  "--disable-component-update", "--disable-sync",
];

// Looks for what keeps people with disabilities out.
const AXE = readFileSync(new URL("node_modules/axe-core/axe.min.js", import.meta.url), "utf8");

let callers = 0;

/** The header of a caller that has not called before. */
export function newCaller() {
  callers += 1;
  return { "X-Forwarded-For": `10.0.${callers >> 8}.${callers & 255}` };
}

/** Starts the program on a free port with a data directory of its own. */
export async function startServer(program) {
  const data = mkdtempSync(join(tmpdir(), "finserve-pages-"));
  // The server believes the header by which a proxy names its clients, so that every caller has its own limit.
  // Webhooks may call this machine, so that none calls another.
  const options = ["--listen", "127.0.0.1:0", "--trusted-proxy", "127.0.0.1/32", "--webhook-allow-private"];
  const log = join(data, "log");
  const child = spawn(program, ["serve", "--data", data, ...options], { stdio: ["ignore", "pipe", openSync(log, "w")] });
  const stop = async () => {
    const ended = child.exitCode === null && once(child, "exit");
    child.kill();
    await ended;
    rmSync(data, { recursive: true, force: true });
  };
  const createKey = (plan) => {
    const who = ["--name", "Ana", "--email", "ana@example.com"];
    return execFileSync(program, ["keys", "create", "--data", data, "--plan", plan, ...who], { encoding: "utf8" }).trim();
  };
  for await (const line of createInterface({ input: child.stdout })) {
    const address = line.match(/http:\/\/\S+/);
    if (address) return { address: address[0], createKey, stop };
  }
  const said = readFileSync(log, "utf8");
  await stop();
  throw new Error(`${program} ended before it listened: ${said}`);
}

export function startBrowser() {
  return chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: QUIET });
}

/** Runs checks, prints a line for each, and counts them. */
export class Checks {
  passed = 0;
  failures = [];

  /** Only checks whose name has the words `only` are run, if there are any. */
  constructor({ browser, server, only }) {
    Object.assign(this, { browser, server, only });
  }

  /** A check by a fresh visitor, who must have seen nothing wrong meanwhile. */
  visit(name, view, test) {
    if (this.only && !name.includes(this.only)) return;
    return this.run(name, async () => {
      const visitor = await Visitor.arrive(this.browser, this.server, view);
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

  async run(name, check) {
    const began = Date.now();
    try {
      await check();
      this.passed += 1;
      console.log(`ok    ${name} (${((Date.now() - began) / 1000).toFixed(1)} s)`);
    } catch (error) {
      const failure = `FAIL  ${name}\n      ${error.message.split("\n").slice(0, 12).join("\n      ")}`;
      this.failures.push(failure);
      console.log(failure);
    }
  }

  /** Prints the failures once more, and the sum; the exit code for the shell. */
  finish() {
    for (const failure of this.failures) console.log(failure);
    console.log(`${this.passed} passed, ${this.failures.length} failed`);
    return this.failures.length === 0 ? 0 : 1;
  }
}

/** A fresh visitor, whose page must load without errors and only from the server. */
export class Visitor {
  static async arrive(browser, server, view) {
    const context = await browser.newContext({
      baseURL: server.address,
      viewport: { width: view.width, height: 900 },
      colorScheme: view.scheme,
      locale: view.locale,
      javaScriptEnabled: view.script ?? true,
      permissions: ["clipboard-read", "clipboard-write"],
      extraHTTPHeaders: newCaller(),
    });
    // A page may wait for other work of the machine.
    context.setDefaultTimeout(60_000);
    return new Visitor(context, await context.newPage(), server.address);
  }

  constructor(context, page, address) {
    Object.assign(this, { context, page, wrongs: [], provoked: new Set() });
    page.on("pageerror", (error) => this.wrongs.push(`page error: ${error.message}`));
    page.on("console", (message) => {
      // Chromium notes every answer of 400 and above as an error, also those that a check asks for.
      const status = message.text().match(/responded with a status of (\d+)/)?.[1];
      const expected = status && this.provoked.has(Number(status));
      const loud = ["error", "warning"].includes(message.type());
      if (loud && !expected) this.wrongs.push(`console: ${message.text()}`);
    });
    page.on("request", (request) => {
      const { protocol, origin } = new URL(request.url());
      if (protocol.startsWith("http") && origin !== address) this.wrongs.push(`asks ${request.url()}`);
    });
    page.on("requestfailed", (request) => {
      // Who clicks a link before the icon has come does without the icon.
      const left = request.failure()?.errorText === "net::ERR_ABORTED";
      if (!left) this.wrongs.push(`not loaded: ${request.url()}`);
    });
  }

  /** Leaves, and fails with everything that went wrong meanwhile. */
  async leave() {
    await this.context.close();
    if (this.wrongs.length > 0) throw new Error(this.wrongs.join("\n"));
  }

  /** Fails with every barrier that axe finds on the page. */
  async hasNoBarriers() {
    await this.page.evaluate(AXE);
    const { violations } = await this.page.evaluate(() => axe.run());
    const told = violations.flatMap(({ id, help, nodes }) => nodes.map((node) => `${id}: ${help}: ${node.html.slice(0, 160)}`));
    if (told.length > 0) throw new Error(`axe on ${this.page.url()}:\n${told.slice(0, 8).join("\n")}`);
  }

  async screenshot(directory, name) {
    if (!directory) return;
    mkdirSync(directory, { recursive: true });
    await this.page.screenshot({ path: join(directory, `${name}.png`), fullPage: true });
  }
}
