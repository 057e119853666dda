// Shows /openapi.json with Scalar, without what it does for its vendor: its fonts, agent, telemetry and tools.
/* global Scalar */

const languages =
  'c clojure csharp dart fsharp go http java js kotlin node objc ocaml php powershell python r ruby rust swift';

Scalar.createApiReference('#reference', {
  url: '/openapi.json',
  withDefaultFonts: false,
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  showDeveloperTools: 'never',
  hideClientButton: true,
  documentDownloadType: 'direct',
  // The document has TypeScript, and Scalar writes curl.
  hiddenClients: Object.fromEntries(languages.split(' ').map((name) => [name, true])),
  defaultHttpClient: { targetKey: 'shell', clientKey: 'curl' },
  customCss: `
/* Long headings, and the buttons behind them, fit a narrow screen. */
.section-header-label { overflow-wrap: anywhere }
.section-header { min-width: 0 }
#reference { overflow-x: clip }
/* The colours of Scalar have too little contrast. */
.light-mode.light-mode {
  --scalar-color-2: #5c5c5c;
  --scalar-color-3: #666;
  --scalar-color-green: #00703f;
  --scalar-color-red: #c00;
  --scalar-color-orange: #b23c00;
  --scalar-color-yellow: #7a5c00;
  --scalar-color-blue: #005fa3;
}
.dark-mode.dark-mode {
  --scalar-color-3: #949494;
  --scalar-color-red: #ff5c5c;
}`,
});
