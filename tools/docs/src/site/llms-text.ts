import { textPath } from '../render/layout';
import { openApi } from '../reference/document';
import { BASE_URL, type Page } from './page';

/** Groups whose pages are listed one by one; of the others the index stands for all. */
const INDEXED = ['States', 'Event classes'];

/** The guide at `/llms.txt` by its convention: a heading, a summary, sections of links to the texts of pages. */
export function llmsText(pages: readonly Page[]): string {
  const { title, description } = openApi.info;
  const [summary = '', ...details] = description
    .trim()
    .split(/\n\s*\n/)
    .map((part) => part.trim().replace(/\s+/g, ' '));
  const listed = pages.filter(
    ({ unlisted, group, path }) =>
      unlisted !== true && group !== '' && (!INDEXED.includes(group) || !/\/(?:states|event-classes)\//.test(path)),
  );
  const groups = [...new Set(listed.map(({ group }) => group))];
  const first = `First call: \`curl -H "x-market-state-api-key: $KEY" '${BASE_URL}/api/public/market-state/latest?symbol=BTCUSD-PERP&view=compact'\`. A sandbox key: \`curl -X POST ${BASE_URL}/api/public/market-state/account/sandbox-keys\`.`;
  const sections = groups.flatMap((group) => [
    `## ${group}`,
    listed
      .filter((page) => page.group === group)
      .map((page) => `- [${page.title}](${textPath(page.path)}): ${page.description}`)
      .join('\n'),
  ]);
  const more = `- [All of these in one text](/llms-full.txt)\n- [OpenAPI document](/openapi.json)`;
  return `${[`# ${title}`, `> ${summary}`, ...details.slice(0, 1), first, ...sections, '## Whole', more].join('\n\n')}\n`;
}

/** The text of every page that is listed, one after the other; those of single operations, errors and the like are left out. */
export function fullText(pages: readonly Page[], texts: ReadonlyMap<Page, string>): string {
  return pages
    .filter(({ unlisted }) => unlisted !== true)
    .map((page) => `<!-- ${BASE_URL}${page.path} -->\n\n${texts.get(page) ?? ''}`)
    .join('\n');
}
