// Draws the reference from our own description, without asking any other host for anything.

// The reference keeps keys in local storage, for good. Here they are gone when the tab is closed.
Object.defineProperty(window, "localStorage", { value: window.sessionStorage });

document.addEventListener("DOMContentLoaded", () => {
  Scalar.createApiReference("#reference", {
    url: "/docs/openapi.yaml",
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
