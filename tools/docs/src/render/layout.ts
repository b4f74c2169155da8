import { type Page, DOCS } from '../site/page';
import { escapeHtml, type Rendered } from './to-html';

export interface Frame {
  readonly pages: readonly Page[];
  readonly stylePath: string;
  readonly scriptPath: string;
  readonly indexPath: string;
  readonly title: string;
}

/** Minimum number of sections for a table of contents. */
const SECTIONS_MIN = 3;

export function textPath(path: string): string {
  return path === DOCS ? `${DOCS}/index.md` : `${path}.md`;
}

/** A complete page. It is read whole without its script, which adds search, copy buttons and filters. */
export function pageHtml(page: Page, { html, sections }: Rendered, frame: Frame): string {
  const listed = frame.pages.filter(({ unlisted }) => unlisted !== true);
  const heading = page.path === DOCS ? frame.title : `${page.title} · ${frame.title}`;
  const text = textPath(page.path);
  return wholeHtml(frame, {
    head: `<title>${escapeHtml(heading)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<link rel="alternate" type="text/markdown" href="${text}">`,
    side: sideNav(page, listed),
    main: `${html}${turn(page, listed)}<p class="end">This page as <a href="${text}">Markdown</a>. Packets are context for monitoring, replay, routing and review; they are not signals, advice or instructions.</p>`,
    contents: contents(sections),
  });
}

/** The answer to a browser for an address below `/docs` that has no page. With its script, it searches for the words of the address. */
export function notFoundHtml(frame: Frame): string {
  const listed = frame.pages.filter(({ unlisted }) => unlisted !== true);
  return wholeHtml(frame, {
    head: `<title>Page not found · ${escapeHtml(frame.title)}</title>`,
    side: sideNav({ path: '', title: '', description: '', group: '', source: null, markdown: '' }, listed),
    main: `<h1 data-missing>Page not found</h1>
<p>There is no page at this address. Start at the <a href="${DOCS}">first page</a>, or look in the <a href="#pages">list of pages</a>, the <a href="${DOCS}/reference/operations">operations</a> and the <a href="${DOCS}/errors">errors</a>.</p>`,
    contents: '',
  });
}

function wholeHtml(
  frame: Frame,
  parts: { readonly head: string; readonly side: string; readonly main: string; readonly contents: string },
): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
${parts.head}
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${frame.stylePath}">
<script src="${frame.scriptPath}" defer></script>
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><a class="name" href="${DOCS}">${escapeHtml(frame.title)}</a><nav aria-label="Site"><a class="to-pages" href="#pages">Pages</a><a href="/">Portal</a><a href="/console">Console</a></nav><nav aria-label="For programs"><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></nav><button type="button" class="find" data-index="${frame.indexPath}" hidden>Search <kbd>/</kbd></button></header>
<dialog class="search" aria-label="Search the documentation"><input type="search" aria-label="Search" placeholder="Search pages, operations, errors" autocomplete="off" spellcheck="false"><ol></ol><p role="status"></p></dialog>
<div class="frame">
${parts.side}
<main id="content">
${parts.main}
</main>
${parts.contents}
</div>
</body>
</html>
`;
}

/** List of pages with only the current group open. On a narrow screen the whole list starts closed. */
function sideNav(page: Page, listed: readonly Page[]): string {
  const groups = [...new Set(listed.map(({ group }) => group))].filter((group) => group !== '');
  const parts = groups.map((group) => {
    const links = listed
      .filter((each) => each.group === group)
      .map(({ path, title }) => `<li><a href="${path}"${isAt(page, path) ? ' aria-current="page"' : ''}>${escapeHtml(title)}</a></li>`);
    const isOpen = group === page.group || page.path === DOCS;
    return `<details${isOpen ? ' open' : ''}><summary>${escapeHtml(group)}</summary><ul>${links.join('')}</ul></details>`;
  });
  return `<nav class="side" id="pages" aria-label="Pages">${parts.join('')}</nav>`;
}

function isAt(page: Page, path: string): boolean {
  return page.path === path || (page.unlisted === true && page.path.startsWith(`${path}/`));
}

function turn(page: Page, listed: readonly Page[]): string {
  const at = listed.findIndex(({ path }) => path === page.path);
  if (at < 0) return '';
  const link = (other: Page | undefined, before: string, after: string) =>
    other === undefined ? '<span></span>' : `<a href="${other.path}">${before}${escapeHtml(other.title)}${after}</a>`;
  return `<nav class="end turn" aria-label="Adjacent pages">${link(listed[at - 1], '← ', '')}${link(listed[at + 1], '', ' →')}</nav>\n`;
}

function contents(sections: Rendered['sections']): string {
  if (sections.length < SECTIONS_MIN) return '';
  const links = sections.map(({ id, words }) => `<li><a href="#${id}">${words}</a></li>`);
  return `<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>${links.join('')}</ul></nav>`;
}
