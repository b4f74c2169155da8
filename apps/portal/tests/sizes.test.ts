import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { gzipSync } from 'node:zlib';

const build = fileURLToPath(new URL('../../../dist/portal', import.meta.url));
/** KB are 1,000 bytes, after gzip. */
const KB = 1_000;

interface Chunk {
  readonly file: string;
  readonly imports?: readonly string[];
}

const chunks = JSON.parse(readFileSync(join(build, '.vite/manifest.json'), 'utf8')) as Readonly<Record<string, Chunk>>;

/** Files of the given build chunks and their static imports. */
function reach(...keys: readonly string[]): readonly string[] {
  const found = new Set<string>();
  const visit = (key: string): void => {
    const chunk = chunks[key];
    if (chunk === undefined) throw new Error(`The build has no ${key}.`);
    if (found.has(chunk.file)) return;
    found.add(chunk.file);
    for (const imported of chunk.imports ?? []) visit(imported);
  };
  keys.forEach(visit);
  return [...found];
}

const ENTRY = 'index.html';
const viewOf = (page: string): string => `src/pages/${page}/${page}-page.tsx`;

/** The scripts that a page needs. */
function scriptsOf(page: string): readonly string[] {
  const themes = readdirSync(join(build, 'assets')).filter((name) => name.startsWith('theme-'));
  return [...reach(ENTRY, viewOf(page)), ...themes.map((name) => `assets/${name}`)];
}

const sizeOf = (file: string): number => gzipSync(readFileSync(join(build, file))).length;

test.each([
  ['home', 110],
  ['login', 110],
  ['not-found', 160],
  ['claim', 160],
  ['reset', 160],
  ['account', 160],
  ['unsubscribe', 160],
  ['live', 160],
  ['symbol', 160],
  ['packet', 160],
  ['replay', 160],
  ['search', 160],
  ['stability', 160],
  ['lab', 160],
  ['keys', 160],
  ['alerts', 160],
  ['webhooks', 160],
  ['exports', 160],
  ['usage', 160],
  ['billing', 160],
  ['console', 160],
  ['status', 160],
  ['share', 160],
  ['verify', 160],
  ['how', 160],
  ['proof', 160],
])('the script of /%s stays within %i KB', (page, boundKb) => {
  const scripts = scriptsOf(page);
  expect(scripts.every((file) => existsSync(join(build, file)))).toBe(true);
  const sizeBytes = scripts.reduce((total, file) => total + sizeOf(file), 0);
  expect(sizeBytes).toBeGreaterThan(50 * KB);
  expect(sizeBytes).toBeLessThanOrEqual(boundKb * KB);
});

test('a page names ahead every script that it needs, so that none waits for another', () => {
  const { pages } = JSON.parse(readFileSync(join(build, 'portal.json'), 'utf8')) as {
    readonly pages: readonly { readonly html: string }[];
  };
  expect(pages).toHaveLength(26);
  for (const { html } of pages) {
    const named = [...readFileSync(join(build, html), 'utf8').matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(
      ([, file]) => file ?? '',
    );
    const needed = scriptsOf(html.replace('.html', ''));
    expect([html, [...new Set(named)].sort()]).toEqual([html, [...needed].sort()]);
  }
});

/** Each file is a request of its own, and an address has 200 at once: nine visitors whose browsers have none yet. */
const FILES_MAX = 22;

test('a page is made of few files', () => {
  const pages = readdirSync(build).filter((name) => name.endsWith('.html'));
  const counts = pages.map((page) => [page, new Set(readFileSync(join(build, page), 'utf8').match(/assets\/[^"]+/g)).size] as const);
  expect(counts.filter(([, count]) => count > FILES_MAX)).toEqual([]);
});

test('the file that sets the theme before anything is drawn has 1 kB at most', () => {
  const [theme = ''] = readdirSync(join(build, 'assets')).filter((name) => name.startsWith('theme-'));
  expect(readFileSync(join(build, 'assets', theme)).length).toBeLessThanOrEqual(KB);
});
