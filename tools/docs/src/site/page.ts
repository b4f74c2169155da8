import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

export const workspaceFolder = join(import.meta.dirname, '..', '..', '..', '..');

export function readText(file: string): string {
  return readFileSync(join(workspaceFolder, file), 'utf8');
}

export function readJson<Content>(file: string): Content {
  return JSON.parse(readText(file)) as Content;
}

export interface Page {
  /** Path such as `/docs/guides/streaming`; its text is at the same path with `.md`. */
  readonly path: string;
  readonly title: string;
  /** One sentence, for page lists and search engines. */
  readonly description: string;
  /** Empty for the first page. */
  readonly group: string;
  /** Source file relative to the workspace root; null for a generated page. */
  readonly source: string | null;
  /** Markdown with tokens, starting with the page's heading. */
  readonly markdown: string;
  /** Hides it from the side navigation: its group has an index. */
  readonly unlisted?: boolean;
}

export const DOCS = '/docs';

/** Placeholder of the server's address in the built files; the gateway replaces it. */
export const BASE_URL = 'http://base-url.invalid';

/** Placeholder of the server's address in documents outside `docs/site`. */
export const EXAMPLE_URL = 'https://api.example.com';

/** Rewrites links between workspace files to site pages. */
export interface LinkTargets {
  /** A link to a file without a page is reduced to its words. */
  absolute(markdown: string, file: string): string;
}

const LINK = /(?<!!)\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;

/** @param pathOf page paths by file, relative to the workspace root */
export function linkTargets(pathOf: ReadonlyMap<string, string>): LinkTargets {
  const target = (address: string, file: string): string | undefined => {
    if (/^(?:[a-z]+:|\/|#)/.test(address)) return address;
    const [name = '', anchor] = address.split('#');
    const path = pathOf.get(normalize(join(dirname(file), name)));
    return path === undefined ? undefined : `${path}${anchor === undefined ? '' : `#${anchor}`}`;
  };
  return {
    absolute: (markdown, file) =>
      outsideCode(markdown, (text) =>
        text.replace(LINK, (_, words: string, address: string) => {
          const found = target(address, file);
          return found === undefined ? words : `[${words}](${found})`;
        }),
      ),
  };
}

function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
