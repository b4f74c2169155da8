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
