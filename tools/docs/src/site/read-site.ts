import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { changelogPage } from '../reference/changelog-page';
import { errorPages } from '../reference/error-pages';
import { messagePages } from '../reference/message-pages';
import { operationPages } from '../reference/operation-pages';
import { planPages } from '../reference/plan-pages';
import { tagPages } from '../reference/policy-pages';
import { settingsPage } from '../reference/settings-page';
import { DOCS, type LinkTargets, linkTargets, type Page, readJson, readText, workspaceFolder } from './page';

const SITE = 'docs/site';

/** A page of `docs/site`, or another document of the workspace with a path on the site. */
type Listed = string | { readonly path: string; readonly source: string; readonly title: string; readonly description: string };

interface Group {
  readonly title: string;
  readonly pages?: readonly Listed[];
  /** Adds every page of this folder, its index first. */
  readonly folder?: string;
}

/** Every page in list order, the first page before them. @throws Error naming what is wrong with a page */
export function readSite(): { readonly pages: readonly Page[]; readonly links: LinkTargets } {
  const { groups } = readJson<{ readonly groups: readonly Group[] }>(`${SITE}/pages.json`);
  const written = [ownPage('index', ''), ...groups.flatMap((group) => pagesOf(group))];
  const links = linkTargets(new Map(written.flatMap(({ source, path }) => (source === null ? [] : [[source, path]]))));
  const made = [
    ...operationPages(),
    ...errorPages(),
    ...messagePages(),
    ...tagPages(),
    ...planPages(),
    settingsPage(links),
    changelogPage(),
  ];
  const pages = [...written, ...made].map((page) =>
    page.source === null ? page : { ...page, markdown: links.absolute(page.markdown, page.source) },
  );
  const order = groups.map(({ title }) => title);
  return { pages: pages.toSorted((a, b) => order.indexOf(a.group) - order.indexOf(b.group)), links };
}

function pagesOf({ title, pages, folder }: Group): Page[] {
  const listed = folder === undefined ? (pages ?? []) : filesOf(folder);
  return listed.map((each) => (typeof each === 'string' ? ownPage(each, title) : documentPage(each, title)));
}

function filesOf(folder: string): string[] {
  const path = join(workspaceFolder, SITE, folder);
  const names = existsSync(path) ? readdirSync(path).filter((name) => name.endsWith('.md')) : [];
  const isIndex = (name: string) => name === 'index.md';
  return [...names.filter(isIndex), ...names.filter((name) => !isIndex(name)).sort()].map((name) => `${folder}/${name.slice(0, -3)}`);
}

function ownPage(name: string, group: string): Page {
  const source = `${SITE}/${name}.md`;
  const [, head, markdown] = /^---\n([\s\S]*?)\n---\n+([\s\S]*)$/.exec(readText(source)) ?? [];
  const [title, description] = ['title', 'description'].map((name) => new RegExp(`^${name}: ("?)(.+)\\1$`, 'm').exec(head ?? '')?.[2]);
  if (title === undefined || description === undefined || markdown === undefined)
    throw new Error(`${source} has no title or description at its top.`);
  const body = /^# /.test(markdown) ? markdown : `# ${title}\n\n${markdown}`;
  return { path: `${DOCS}/${name}`.replace(/\/index$/, ''), title, description, group, source, markdown: body };
}

function documentPage({ path, source, title, description }: Exclude<Listed, string>, group: string): Page {
  const markdown = withoutDrawing(readText(source));
  if (!markdown.startsWith('# ')) throw new Error(`${source} does not start with a heading.`);
  return { path: `${DOCS}/${path}`, title, description, group, source, markdown };
}

/** Removes the diagram and file list at the top of a README, which are for developers. */
function withoutDrawing(markdown: string): string {
  return markdown.replace(/\n```mermaid\n[\s\S]*?\n```\n\nRead first: .*\n/, '');
}
