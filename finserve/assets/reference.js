// Draws the reference from our own description, without asking any other host for anything.
Scalar.createApiReference("#reference", {
  url: "/docs/openapi.yaml",
  withDefaultFonts: false,
  telemetry: false,
  hideClientButton: true,
  showDeveloperTools: "never",
  agent: { disabled: true },
  mcp: { disabled: true },
});
