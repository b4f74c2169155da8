/** Style of the account pages, for light and dark. */
export const ACCOUNT_PAGE_STYLE = `
:root {
  color-scheme: light dark;
  --page: #f4f7fa; --card: #ffffff; --field: #ffffff; --line: #c9d4de; --text: #1b2733; --quiet: #526273;
  --accent: #0b6bab; --accent-text: #ffffff; --wrong: #b3261e; --code: #eef3f7;
}
@media (prefers-color-scheme: dark) {
  :root {
    --page: #0d1721; --card: #152331; --field: #0d1721; --line: #3a4d60; --text: #e6edf3; --quiet: #a5b4c3;
    --accent: #6cb8ee; --accent-text: #08131d; --wrong: #ff9a92; --code: #0d1721;
  }
}
* { box-sizing: border-box; }
html, body { margin: 0; min-height: 100%; background: var(--page); color: var(--text); font: 16px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif; }
header { padding: 0.85rem 1.25rem; background: #10202e; color: #ffffff; font-weight: 600; }
main { max-width: 30rem; margin: clamp(1rem, 6vh, 4rem) auto; padding: 0 1rem; }
.card { padding: clamp(1.25rem, 5vw, 2rem); background: var(--card); border: 1px solid var(--line); border-radius: 8px; overflow-wrap: anywhere; }
h1 { margin: 0 0 0.5rem; font-size: 1.45rem; line-height: 1.25; }
h2 { margin: 1.75rem 0 0.25rem; font-size: 1.1rem; }
p { margin: 0 0 1rem; }
label { display: block; margin: 1rem 0 0.3rem; font-weight: 600; }
input[type="email"], input[type="password"], input[type="text"] { width: 100%; padding: 0.6rem 0.7rem; border: 1px solid var(--line); border-radius: 5px; background: var(--field); color: var(--text); font: inherit; }
input[readonly] { background: var(--page); color: var(--quiet); }
.check { display: flex; gap: 0.5rem; align-items: center; margin: 0.6rem 0 0; font-weight: 400; }
.hint { margin: 0.3rem 0 0; color: var(--quiet); font-size: 0.9rem; }
button { margin-top: 1.25rem; padding: 0.65rem 1.15rem; border: 0; border-radius: 5px; background: var(--accent); color: var(--accent-text); font: inherit; font-weight: 600; cursor: pointer; }
button:disabled { opacity: 0.6; cursor: default; }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
[tabindex="-1"]:focus-visible { outline: none; }
a { color: var(--accent); }
.wrong { margin: 1rem 0 0; color: var(--wrong); }
pre { margin: 0.5rem 0; padding: 0.75rem; background: var(--code); border: 1px solid var(--line); border-radius: 5px; font: 14px/1.45 ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; white-space: pre-wrap; overflow-wrap: anywhere; }
dl { display: grid; grid-template-columns: minmax(8rem, auto) 1fr; gap: 0.35rem 1rem; margin: 0.5rem 0 1rem; }
dt { color: var(--quiet); }
dd { margin: 0; }
#order-part { margin-bottom: 1.5rem; }
form + .hint { margin-top: 1.25rem; }
ul { margin: 0 0 1rem; padding-left: 1.25rem; }
[hidden] { display: none !important; }
`.trimStart();
