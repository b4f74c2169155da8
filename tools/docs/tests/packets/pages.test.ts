import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { type WordKind, packetOf } from '../../src/packets/packet-file';
import { fillTokens } from '../../src/packets/page-tokens';
import { policy, WORDS } from './words';

const SITE = join(workspaceRoot(), 'docs', 'site');
const FOLDERS: Readonly<Record<WordKind, string>> = { states: 'states', event_classes: 'event-classes' };
const SECTIONS = [
  'What it means',
  'What it does not mean',
  'How it is decided',
  'A real packet',
  'How it ends',
  'What it is confused with',
  'Where to find it',
];
const GUIDES = ['../guides/search.md', '../guides/alerts.md', '../guides/streaming.md'];

const read = (folder: string, name: string): string => readFileSync(join(SITE, folder, `${name}.md`), 'utf8');
const PAGES = WORDS.map(([word, kind]) => [word, kind, FOLDERS[kind], read(FOLDERS[kind], word)] as const);
const sources = { policyFiles: policy.files, packetOf };

/** Sections by heading, in page order. */
function sectionsOf(page: string): readonly (readonly [heading: string, text: string])[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [heading = '', ...lines] = section.split('\n');
      return [heading, lines.join('\n').trim()] as const;
    });
}

const textOf = (page: string, heading: string): string => sectionsOf(page).find(([name]) => name === heading)?.[1] ?? '';

test.each(Object.entries(FOLDERS))('every word of %s has its page, and every page its word', (kind, folder) => {
  const words = WORDS.filter((each) => each[1] === kind).map(([word]) => `${word}.md`);
  expect(readdirSync(join(SITE, folder)).sort()).toEqual(['index.md', ...words].sort());
});

describe.each(PAGES)('the page of %s', (word, kind, folder, page) => {
  test('has title and description, and starts with its word', () => {
    const { label } = policy.taxonomy.term(kind, word);
    const [, title, description = ''] = /^---\ntitle: (.+)\ndescription: "(.+)"\n---\n/.exec(page) ?? [];
    expect(title?.toLowerCase()).toBe(label.toLowerCase());
    expect(description.startsWith(`${word}: `)).toBe(true);
    expect(description.length).toBeLessThanOrEqual(160);
    expect(textOf(page, 'What it means').startsWith(`A packet ${kind === 'states' ? 'in' : 'of'} \`${word}\` `)).toBe(true);
  });

  test('has its sections in order, none of them empty', () => {
    expect(sectionsOf(page).map(([heading]) => heading)).toEqual(SECTIONS);
    for (const [heading, text] of sectionsOf(page)) expect({ heading, isWritten: text.length > 80 }).toEqual({ heading, isWritten: true });
  });

  test('shows its packet once, and explains its numbers', () => {
    expect(page.match(/^\{\{packet .*\}\}$/gm)).toEqual([`{{packet ${word}}}`]);
    const own = textOf(page, 'A real packet').match(new RegExp(`\\{\\{value ${word}#`, 'g')) ?? [];
    expect(own.length).toBeGreaterThan(2);
    expect(page.match(/\{\{value [a-z_]+#/g)?.every((token) => token === `{{value ${word}#`)).toBe(true);
  });

  test('resolves every token to a number, except the packet', () => {
    expect(fillTokens(page, sources).match(/\{\{.*?\}\}/g)).toEqual([`{{packet ${word}}}`]);
  });

  test('links to existing pages, and to the guides', () => {
    const links = [...page.matchAll(/\]\(([^)]+)\)/g)].map(([, link = '']) => link);
    const dead = links.filter((link) => !GUIDES.includes(link) && !existsSync(join(SITE, folder, link)));
    expect(dead).toEqual([]);
    expect(GUIDES.filter((guide) => !textOf(page, 'Where to find it').includes(`](${guide})`))).toEqual([]);
    expect(textOf(page, 'What it is confused with')).toContain('.md)');
  });

  test('takes no side and gives no advice', () => {
    const said = SECTIONS.filter((heading) => heading !== 'What it does not mean').map((heading) => textOf(page, heading));
    expect(said.join('\n').match(ADVICE)).toBeNull();
  });
});

/** Market terms allowed only in the section on what a word does not mean. */
const ADVICE =
  /\b(?:bullish|bearish|upside|downside|breakout|oversold|overbought|profit\w*|opportunit\w*|take-?profit|stop-?loss|go (?:long|short)|(?:buy|sell) now|will (?:rise|fall|go)|likely|probabl\w+|expect\w*|predict\w*|forecast\w*|recommend\w*|signal\w*)\b/i;

test('no sentence of forty characters or more occurs on three pages', () => {
  const pagesOf = new Map<string, number>();
  for (const [, , , page] of PAGES) {
    const sentences = page.replace(/\s+/g, ' ').match(/[A-Z][^.|#{]{40,}\./g) ?? [];
    for (const sentence of new Set(sentences)) pagesOf.set(sentence, (pagesOf.get(sentence) ?? 0) + 1);
  }
  expect([...pagesOf].filter(([, total]) => total > 2).map(([sentence]) => sentence)).toEqual([]);
});

describe.each(Object.entries(FOLDERS))('the index of %s', (kind, folder) => {
  const index = read(folder, 'index');

  test('has one row for each word, in the order of the taxonomy', () => {
    const rows = [...index.matchAll(/^\| \[`([a-z_]+)`\]\(([a-z_]+)\.md\) \| .{15,} \|$/gm)];
    expect(rows.map(([, word, file]) => [word, file])).toEqual(WORDS.filter((each) => each[1] === kind).map(([word]) => [word, word]));
  });

  test('resolves every token to a number', () => {
    expect(fillTokens(index, sources)).not.toContain('{{');
  });
});

test('an unresolvable token is named, with all others', () => {
  const page = '{{policy numbers#/thresholds/flow/watch}} {{policy numbers#/thresholds/tape}} {{value depth_watch#/confidence}}';
  expect(() => fillTokens(page, sources)).toThrow(
    'No number or text at: {{policy numbers#/thresholds/tape}}, {{value depth_watch#/confidence}}',
  );
});
