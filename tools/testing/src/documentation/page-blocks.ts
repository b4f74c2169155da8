/** A block of code of a page. */
export interface PageBlock {
  /** As its fence names it; empty for what a terminal or a program showed. */
  readonly language: string;
  readonly code: string;
  /** Name of its tab; null outside tabs. */
  readonly tab: string | null;
  /** `alone`: it runs as it stands. `on`: it goes on from the blocks of its language before it, as in one session. Null: it is not run. */
  readonly runs: 'alone' | 'on' | null;
  /** Why it does not run; null where nothing says so. */
  readonly unrun: string | null;
}

const BLOCK = /^```(\w*)([^\n]*)\n([\s\S]*?)^```$/gm;

/** The blocks of code in a page's Markdown, in its order. */
export function blocksOf(markdown: string): readonly PageBlock[] {
  return [...markdown.matchAll(BLOCK)].map(([, language = '', marks = '', code = '']) => ({
    language,
    code,
    tab: /\btab="([^"]+)"/.exec(marks)?.[1] ?? null,
    runs: /^ run on\b/.test(marks) ? 'on' : /^ run\b/.test(marks) ? 'alone' : null,
    unrun: /^ unrun="([^"]+)"/.exec(marks)?.[1] ?? null,
  }));
}
