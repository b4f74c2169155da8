/** Style of the page around the viewer; the viewer's own parts take their colours from its attributes. */
export const PAGE_STYLE = `
:root { color-scheme: light; }
* { box-sizing: border-box; }
html, body { margin: 0; height: 100%; background: #ffffff; color: #1b2733; font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
body { display: flex; flex-direction: column; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 0.25rem 1.5rem; padding: 0.75rem 1.25rem; background: #10202e; color: #ffffff; }
header strong { font-size: 1.05rem; }
header nav { display: flex; flex-wrap: wrap; gap: 0.25rem 1.25rem; }
header a { color: #9fd3f5; text-decoration: none; }
header a:hover, header a:focus-visible { text-decoration: underline; }
.first-call { padding: 0.75rem 1.25rem; border-bottom: 1px solid #c9d4de; background: #f4f7fa; }
.first-call p { margin: 0; font-size: 0.95rem; }
.first-call pre { margin: 0.25rem 0 0.5rem; font: 13.5px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
openapi-explorer { flex: 1; min-height: 0; --font-size-regular: 15px; --font-size-small: 14px; --font-size-mono: 13.5px; --border-radius: 4px; --nav-path-padding: 5px 8px 5px 1.25rem; --inline-code-fg: #0b4f7d; }
.plain { max-width: 40rem; margin: 2rem auto; padding: 0 1.25rem; }
`.trimStart();
