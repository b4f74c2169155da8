import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { loadPolicy } from '@market-state/labeler';
import { workspaceRoot } from '@market-state/launcher';
import MiniSearch from 'minisearch';
import { plans } from '@market-state/pricing';
import { blocksOf } from '@market-state/testing';
import { openApi, operations } from '../src/reference/document';
import { errorPath, kebab, operationPath } from '../src/reference/text';
import { readSite } from '../src/site/read-site';
import { SEARCH_OPTIONS, type Section } from '../src/site/search-index';

/** The build served by a gateway, from the workspace's preparation. */
const FOLDER = join(workspaceRoot(), 'dist', 'docs');
const LLMS_BYTES_MAX = 6_000;

interface NamedFile {
  readonly file: string;
}

interface Manifest {
  readonly pages: readonly { readonly path: string; readonly html: NamedFile; readonly text_path: string; readonly text: NamedFile }[];
  readonly styles: readonly { readonly path: string }[];
  readonly scripts: readonly { readonly path: string }[];
  readonly indexes: readonly { readonly path: string; readonly index: NamedFile }[];
  readonly pictures: readonly { readonly path: string; readonly picture: NamedFile }[];
  readonly downloads: readonly { readonly path: string }[];
}

const read = (file: string): string => readFileSync(join(FOLDER, file), 'utf8');
const { pages, styles, scripts, indexes, pictures, downloads } = JSON.parse(read('docs.json')) as Manifest;
const html = new Map(pages.map((page) => [page.path, read(page.html.file)]));
const texts = new Map(pages.map((page) => [page.text_path, read(page.text.file)]));

/** Paths of the portal and API to which a page may link. */
const portal = JSON.parse(readFileSync(join(workspaceRoot(), 'dist', 'portal', 'portal.json'), 'utf8')) as {
  readonly pages: readonly { readonly pattern: string }[];
};
const elsewhere = new Set([
  ...portal.pages.map(({ pattern }) => pattern),
  ...Object.keys(openApi.paths),
  ...styles.map(({ path }) => path),
  ...pictures.map(({ path }) => path),
  '/llms.txt',
  '/llms-full.txt',
]);

function idsOf(page: string): string[] {
  return [...page.matchAll(/\sid="([^"]+)"/g)].map(([, id = '']) => id);
}

function deadLinks(path: string, page: string): string[] {
  const links = [...page.matchAll(/\shref="([^"]+)"/g)].map(([, link = '']) => link.replaceAll('&amp;', '&'));
  return links.filter((link) => {
    if (/^(?:https?:|data:)/.test(link)) return false;
    const [to = '', anchor] = link.split('#');
    const target = to === '' ? path : to;
    if (!html.has(target)) return !elsewhere.has(target.split('?')[0] ?? '') && !texts.has(target);
    return anchor !== undefined && !idsOf(html.get(target) ?? '').includes(anchor);
  });
}

test('no link of any page is dead, anchors included', () => {
  expect([...html].flatMap(([path, page]) => deadLinks(path, page).map((link) => `${path} → ${link}`))).toEqual([]);
});

test('no link of any text is dead', () => {
  const dead = [...texts].flatMap(([path, text]) =>
    [...text.replaceAll(/^```[\s\S]*?^```$/gm, '').matchAll(/(?<!`)\]\((\/[^)#\s]*)/g)]
      .map(([, link = '']) => link)
      .filter((link) => !texts.has(link) && !html.has(link) && !elsewhere.has(link.split('?')[0] ?? ''))
      .map((link) => `${path} → ${link}`),
  );
  expect(dead).toEqual([]);
});

/** Bytes of a picture: half a second on a slow mobile connection. */
const PICTURE_BYTES_MAX = 140_000;

test('every picture is shown by a page, described in words, in the theme of the reader, and small', () => {
  const shown = [...html].flatMap(([, page]) =>
    [...page.matchAll(/<picture><source media="\(prefers-color-scheme: dark\)" srcset="([^"]+)"><img src="([^"]+)" alt="([^"]+)"/g)].flat(),
  );
  expect(pictures.length).toBeGreaterThan(0);
  expect(pictures.filter(({ path }) => !shown.includes(path))).toEqual([]);
  expect(pictures.filter(({ picture }) => readFileSync(join(FOLDER, picture.file)).length > PICTURE_BYTES_MAX)).toEqual([]);
  expect([...html].filter(([, page]) => /<img (?!src="\/docs\/assets\/)/.test(page)).map(([path]) => path)).toEqual([]);
});

test('every package in an install command exists', () => {
  const named = [...texts.values()].flatMap((text) =>
    [...text.matchAll(/http:\/\/base-url\.invalid(\/docs\/files\/[\w.-]+)/g)].map(([, path]) => path),
  );
  expect([...new Set(named)].sort()).toEqual(downloads.map(({ path }) => path).sort());
});

test('every code block of a written page is run by the suite, or says why it is not', () => {
  const written = readSite().pages.filter(({ source }) => source !== null);
  const unsaid = written.flatMap(({ source, markdown }) =>
    blocksOf(markdown)
      .filter(({ language, runs, unrun }) => language !== '' && (runs === null) === (unrun === null))
      .map(({ language, code }) => `${source}, ${language}: ${code.split('\n')[0]}`),
  );
  expect(unsaid).toEqual([]);
});

test('pages have one script, none inline, no inline style, and each id once', () => {
  for (const [path, page] of html) {
    const own = scripts.map((script) => `<script src="${script.path}" defer></script>`);
    expect({ path, scripts: page.match(/<script[^]*?<\/script>/g) }).toEqual({ path, scripts: own });
    expect({ path, found: /\sstyle=|\son\w+=/.exec(page)?.[0] }).toEqual({ path, found: undefined });
    const ids = idsOf(page);
    expect({ path, twice: ids.filter((id, at) => ids.indexOf(id) !== at) }).toEqual({ path, twice: [] });
  }
});

/** A page's headings, and row counts of its tables. */
function shapeOfHtml(page: string) {
  const main = /<main[^>]*>([\s\S]*)<p class="end">/.exec(page)?.[1] ?? '';
  const headings = [...main.matchAll(/<h[1-6][^>]*>([\s\S]*?)<\/h[1-6]>/g)].map(([, words = '']) =>
    plainWords(words.replaceAll(/<[^>]+>/g, '')),
  );
  return { headings, blocks: main.match(/<pre/g)?.length ?? 0 };
}

function shapeOfText(text: string) {
  const blocks = text.match(/^ *```\w*/gm)?.length ?? 0;
  const prose = text.replaceAll(/^( *)```[\s\S]*?^\1```$/gm, '');
  const headings = [...prose.matchAll(/^#{1,6} (.+)$/gm)].map(([, words = '']) =>
    plainWords(words.replaceAll(/\[([^\]]*)\]\([^)]*\)/g, '$1')),
  );
  return { headings, blocks: blocks / 2 };
}

function plainWords(words: string): string {
  return words
    .replaceAll(/&(?:amp|lt|gt|quot|#39);/g, '')
    .replaceAll(/[^\p{L}\p{N} ]/gu, '')
    .trim();
}

test('each page and its text have the same headings and number of code blocks', () => {
  for (const page of pages) {
    const fromHtml = shapeOfHtml(html.get(page.path) ?? '');
    const fromText = shapeOfText(texts.get(page.text_path) ?? '');
    expect({ path: page.path, ...fromHtml }).toEqual({ path: page.path, ...fromText });
    expect(fromHtml.headings.length).toBeGreaterThan(0);
  }
});

describe('the search', () => {
  const [named] = indexes;
  const index = MiniSearch.loadJSON<Section>(read(named?.index.file ?? ''), SEARCH_OPTIONS);
  const firstFor = (words: string) =>
    index
      .search(words)
      .slice(0, 3)
      .map(({ path }) => path as string);

  test.each([
    ['verify', '/docs/guides/verify'],
    ['flow shift', '/docs/states/flow_shift_watch'],
    ['rate limited', errorPath('rate_limited')],
    ['create watchlist', operationPath('createWatchlist')],
    ['export files', '/docs/guides/export-files'],
    ['webhok signature', '/docs/guides/verify-webhooks'],
  ])('finds, among its first three, the page for: %s', (words, path) => {
    expect(firstFor(words).map((found) => found.split('#')[0])).toContain(path);
  });

  test('leads to pages and sections that exist, from every page', () => {
    const found = index.search(MiniSearch.wildcard).map(({ path }) => path as string);
    const dead = found.filter((path) => {
      const [page = '', anchor] = path.split('#');
      return !html.has(page) || (anchor !== undefined && !idsOf(html.get(page) ?? '').includes(anchor));
    });
    expect(dead).toEqual([]);
    expect([...html.keys()].filter((path) => !found.includes(path))).toEqual([]);
  });

  test('loads in one file of at most 200 kB, compressed', () => {
    expect(gzipSync(read(named?.index.file ?? '')).length).toBeLessThanOrEqual(200_000);
  });
});

test('every operation, message kind, plan, state, event class and tag family has its page', () => {
  const { tags, taxonomy } = loadPolicy().files as unknown as {
    readonly tags: { readonly groups: readonly { readonly family: string }[] };
    readonly taxonomy: {
      readonly states: readonly { readonly value: string }[];
      readonly event_classes: readonly { readonly value: string }[];
    };
  };
  const wanted = [
    ...operations.map(({ operationId }) => operationPath(operationId)),
    ...Object.keys(openApi.webhooks).map((kind) => `/docs/reference/messages/${kebab(kind)}`),
    ...plans.map(({ planId }) => `/docs/reference/plans/${kebab(planId)}`),
    ...taxonomy.states.map(({ value }) => `/docs/states/${value}`),
    ...taxonomy.event_classes.map(({ value }) => `/docs/event-classes/${value}`),
    ...tags.groups.map(({ family }) => `/docs/reference/tags/${kebab(family)}`),
    errorPath('unauthenticated'),
  ];
  expect(wanted.filter((path) => !html.has(path))).toEqual([]);
});

test('every service setting is on the settings page', () => {
  const services = JSON.parse(readFileSync(join(workspaceRoot(), 'services.json'), 'utf8')) as Record<
    string,
    { readonly processes: Record<string, { readonly settings?: readonly string[]; readonly secrets?: readonly string[] }> }
  >;
  const page = texts.get('/docs/run/settings.md') ?? '';
  const names = Object.values(services).flatMap(({ processes }) =>
    Object.values(processes).flatMap(({ settings = [], secrets = [] }) => [...settings, ...secrets]),
  );
  expect(names.map((name) => name.replace('*', '')).filter((name) => !page.includes(name))).toEqual([]);
});

test(`llms.txt follows its convention, fits ${LLMS_BYTES_MAX} bytes, and links to texts`, () => {
  const text = read('llms.txt');
  expect(Buffer.byteLength(text)).toBeLessThanOrEqual(LLMS_BYTES_MAX);
  expect(text.split('\n')[0]).toBe(`# ${openApi.info.title}`);
  expect(text.split('\n')[2]).toMatch(/^> \S/);
  expect(text.indexOf('x-market-state-api-key')).toBeGreaterThan(0);
  const links = [...text.matchAll(/^- \[[^\]]+\]\((\/[^)]+)\)/gm)].map(([, path = '']) => path);
  expect(links.length).toBeGreaterThan(30);
  expect(links.filter((path) => !texts.has(path) && !elsewhere.has(path))).toEqual([]);
});
