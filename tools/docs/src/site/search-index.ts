import MiniSearch from 'minisearch';
import type { Page } from './page';

/** A section of a page, as it is found and shown in the results. */
export interface Section {
  readonly id: number;
  readonly path: string;
  readonly page: string;
  /** Empty for the text before a page's first section. */
  readonly section: string;
  readonly text: string;
}

/** The same options when the index is built and when a browser loads it. */
export const SEARCH_OPTIONS = {
  fields: ['page', 'section', 'text'],
  storeFields: ['path', 'page', 'section', 'text'],
  searchOptions: {
    boost: { page: 4, section: 2 },
    // A guide comes before one of the many operations and errors that share its words.
    boostDocument: (_id, _term, stored) => (/^\/docs\/(?:reference\/operations|errors)\//.test(String(stored?.['path'])) ? 0.5 : 1),
    prefix: true,
    fuzzy: 0.2,
    combineWith: 'AND',
  },
} satisfies ConstructorParameters<typeof MiniSearch<Section>>[0];

/** Longer texts, such as a table of fields, are found by their beginning alone. */
const TEXT_CHARACTERS = 600;

/**
 * The search index of all pages, as JSON that `MiniSearch.loadJSON` reads with `SEARCH_OPTIONS`.
 * @param texts Markdown of each page with tokens filled in
 * @param anchors ids of each page's sections, in order
 */
export function searchIndex(texts: ReadonlyMap<Page, string>, anchors: ReadonlyMap<Page, readonly string[]>): string {
  const index = new MiniSearch<Section>(SEARCH_OPTIONS);
  const sections = [...texts].flatMap(([page, text]) => sectionsOf(page, text, anchors.get(page) ?? []));
  index.addAll(sections.map((section, id) => ({ ...section, id })));
  return JSON.stringify(index);
}

function sectionsOf(page: Page, text: string, anchors: readonly string[]): Omit<Section, 'id'>[] {
  const [before = '', ...parts] = withoutCode(text).split(/^## /m);
  // An operation, error or message has one entry: its sections have the same names on every page.
  const first = { path: page.path, page: page.title, section: '', text: plain(`${page.description} ${before.replace(/^# .*\n/, '')}`) };
  if (page.unlisted === true) return [first];
  return [
    first,
    ...parts.map((part, index) => {
      const [heading = '', ...lines] = part.split('\n');
      return { path: `${page.path}#${anchors[index] ?? ''}`, page: page.title, section: plain(heading), text: plain(lines.join('\n')) };
    }),
  ];
}

function withoutCode(text: string): string {
  return text.replace(/^( *)```[\s\S]*?^\1```$/gm, '');
}

function plain(markdown: string): string {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/\|?(?:\s*:?-{2,}:?\s*\|)+/g, ' ')
    .replace(/[`*|>#]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, TEXT_CHARACTERS);
}
