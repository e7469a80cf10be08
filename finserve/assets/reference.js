// Draws the reference from our own description, without asking any other host for anything.

// The reference keeps keys in local storage, for good. Here they are gone when the tab is closed.
Object.defineProperty(window, "localStorage", { value: window.sessionStorage });

// The policy of this page allows no inline styles, and the reference makes some. Its style elements get the nonce of the
// page. Its style attributes are set as properties, which the policy leaves to scripts.
const nonce = document.querySelector('meta[property="csp-nonce"]').content;
const { createElement } = Document.prototype;
Document.prototype.createElement = function (name, options) {
  // A page has one header and one main part. The reference makes others, for narrow screens and in its dialog.
  const other = { header: "section", main: "div" }[name];
  const element = createElement.call(this, other && document.querySelector(name) ? other : name, options);
  if (element.localName === "section" && name === "header") element.setAttribute("aria-label", "Reference");
  if (element instanceof HTMLStyleElement) element.nonce = nonce;
  return element;
};

const { setAttribute } = Element.prototype;
Element.prototype.setAttribute = function (name, value) {
  if (name === "style") this.style.cssText = value;
  else setAttribute.call(this, name, value);
};

const innerHTML = Object.getOwnPropertyDescriptor(Element.prototype, "innerHTML");
Object.defineProperty(Element.prototype, "innerHTML", {
  ...innerHTML,
  set(markup) {
    innerHTML.set.call(this, String(markup).replaceAll(' style="', ' data-style="'));
    for (const element of (this.content ?? this).querySelectorAll("[data-style]")) {
      element.style.cssText = element.dataset.style;
      delete element.dataset.style;
    }
  },
});

// The reference sets its scheme late; until then a dark page would be white.
const isDark = window.matchMedia("(prefers-color-scheme: dark)").matches;
document.body.classList.add(isDark ? "dark-mode" : "light-mode");

document.addEventListener("DOMContentLoaded", async () => {
  const place = document.getElementById("reference");
  const description = await (await fetch(place.dataset.description)).json();
  // Who is signed in reads with the session: no key is missing.
  if ("signedIn" in place.dataset) {
    for (const { get } of Object.values(description.paths)) get?.security?.unshift({});
  }
  Scalar.createApiReference("#reference", {
    content: description,
    authentication: { preferredSecurityScheme: "ApiKey" },
    persistAuth: true,
    customFetch: (resource, options) => fetch(withoutEmptyKey(new Request(resource, options))),
    withDefaultFonts: false,
    telemetry: false,
    hideClientButton: true,
    showDeveloperTools: "never",
    agent: { disabled: true },
    mcp: { disabled: true },
  });
  repair();
  new MutationObserver(repair).observe(document.body, { childList: true, subtree: true });
});

// What screen readers would stumble over in what the reference draws.
const REPAIRS = [
  ['[role="combobox"]:not([aria-expanded])', (field) => field.setAttribute("aria-expanded", "false")],
  ['button:is([role="none"], [role="alert"])', (button) => button.removeAttribute("role")],
  ['.cm-content[role="textbox"]:not([aria-label])', (code) => code.setAttribute("aria-label", "Code")],
  ['.cm-scroller[tabindex="-1"]', (code) => code.setAttribute("tabindex", "0")],
  ['#reference a:not([aria-label])', (link) => link.innerText.trim() || link.setAttribute("aria-label", link.textContent.trim() || "finserve")],
  ['section[aria-label^="Notifications"]:not([role])', (list) => list.setAttribute("role", "group")],
  ['button[aria-controls]', (button) => document.getElementById(button.getAttribute("aria-controls")) ?? button.removeAttribute("aria-controls")],
];

function repair() {
  for (const [wrong, right] of REPAIRS) document.querySelectorAll(wrong).forEach(right);
}

// The key field is always there; left empty it means no key, not an empty one, which is refused.
function withoutEmptyKey(request) {
  if (request.headers.get("X-API-Key") === "") request.headers.delete("X-API-Key");
  return request;
}
