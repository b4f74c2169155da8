import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

/** The top folder of the workspace. */
export const workspaceFolder = join(import.meta.dirname, '..', '..', '..', '..');

/** Text of a file of the workspace, by its path from the top. */
export function readText(file: string): string {
  return readFileSync(join(workspaceFolder, file), 'utf8');
}

/** A JSON file of the workspace, by its path from the top. */
export function readJson<Content>(file: string): Content {
  return JSON.parse(readText(file)) as Content;
}

/** One page of the site, as the text that both its forms are made from. */
export interface Page {
  /** Where it is served, such as `/docs/guides/streaming`; its text is at the same path with `.md`. */
  readonly path: string;
  readonly title: string;
  /** One sentence, for lists of pages and for search engines. */
  readonly description: string;
  /** Group that it is listed in; empty for the first page. */
  readonly group: string;
  /** The file that it is written in, from the workspace's top; null for a page that is made from facts. */
  readonly source: string | null;
  /** Markdown with tokens. It begins with the heading of the page. */
  readonly markdown: string;
  /** Whether the list of pages at its side leaves it out: its group has an index. */
  readonly unlisted?: boolean;
}

/** Where pages begin. */
export const DOCS = '/docs';

/** Stands for the address of the server in the built files; the gateway writes its own in its place. */
export const BASE_URL = 'http://base-url.invalid';

/** The address that documents outside `docs/site` write for a server; their pages have the address of their own server in its place. */
export const EXAMPLE_URL = 'https://api.example.com';

/** Leads from links between the files of the workspace to the pages of the site. */
export interface LinkTargets {
  /** The text with its links as addresses of the site; a link to a file that the site does not have is left as its words. */
  absolute(markdown: string, file: string): string;
}

const LINK = /(?<!!)\[((?:[^\][]|\[[^\][]*\])*)\]\(([^)\s]+)\)/g;

/** @param pathOf the page that a file is, by its path from the workspace's top */
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

/** The text with `change` made to whatever is no code. */
function outsideCode(markdown: string, change: (text: string) => string): string {
  return markdown
    .split(/(^```[^\n]*\n[\s\S]*?^```$)/m)
    .map((part, index) => (index % 2 === 1 ? part : change(part)))
    .join('');
}
