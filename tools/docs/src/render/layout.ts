import { type Page, DOCS } from '../site/page';
import { escapeHtml, type Rendered } from './to-html';

export interface Frame {
  readonly pages: readonly Page[];
  readonly stylePath: string;
  readonly title: string;
}

/** Minimum number of sections for a table of contents. */
const SECTIONS_MIN = 3;

export function textPath(path: string): string {
  return path === DOCS ? `${DOCS}/index.md` : `${path}.md`;
}

/** A complete page without scripts. */
export function pageHtml(page: Page, { html, sections }: Rendered, frame: Frame): string {
  const listed = frame.pages.filter(({ unlisted }) => unlisted !== true);
  const heading = page.path === DOCS ? frame.title : `${page.title} · ${frame.title}`;
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(heading)}</title>
<meta name="description" content="${escapeHtml(page.description)}">
<link rel="icon" href="data:,">
<link rel="alternate" type="text/markdown" href="${textPath(page.path)}">
<link rel="stylesheet" href="${frame.stylePath}">
</head>
<body>
<a class="skip" href="#content">Skip to content</a>
<header class="top"><a class="name" href="${DOCS}">${escapeHtml(frame.title)}</a><nav aria-label="Site"><a class="to-pages" href="#pages">Pages</a><a href="/">Portal</a></nav><nav aria-label="For programs"><a href="/openapi.json">OpenAPI</a><a href="/llms.txt">llms.txt</a></nav></header>
<div class="frame">
${sideNav(page, listed)}
<main id="content">
${html}${turn(page, listed)}<p class="end">This page as <a href="${textPath(page.path)}">Markdown</a>. Packets are context for monitoring, replay, routing and review; they are not signals, advice or instructions.</p>
</main>
${contents(sections)}
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
