// Draws the reference from our own description, without asking any other host for anything.

// The reference keeps keys in local storage, for good. Here they are gone when the tab is closed.
Object.defineProperty(window, "localStorage", { value: window.sessionStorage });

// The policy of this page allows no inline styles, and the reference makes some. Its style elements get the nonce of the
// page. Its style attributes are set as properties, which the policy leaves to scripts.
const nonce = document.querySelector('meta[property="csp-nonce"]').content;
const { createElement } = Document.prototype;
Document.prototype.createElement = function (name, options) {
  const element = createElement.call(this, name, options);
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

document.addEventListener("DOMContentLoaded", () => {
  Scalar.createApiReference("#reference", {
    url: document.getElementById("reference").dataset.description,
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
});

// The key field is always there; left empty it means no key, not an empty one, which is refused.
function withoutEmptyKey(request) {
  if (request.headers.get("X-API-Key") === "") request.headers.delete("X-API-Key");
  return request;
}
