import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PAGE_STYLE } from './page-style';

type MediaType = 'text/javascript' | 'text/css';

/** A file that a page loads. */
export interface PageFile {
  /** Its name; holds the beginning of its hash, so that a name means the same bytes for good. */
  readonly name: string;
  readonly mediaType: MediaType;
  readonly bytes: Buffer;
}

const HASH_CHARACTERS = 12;

let files: readonly PageFile[] | undefined;

/** A file whose name holds the beginning of its hash. */
function toPageFile(stem: string, ending: string, mediaType: MediaType, bytes: Buffer): PageFile {
  return { name: `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS)}.${ending}`, mediaType, bytes };
}

/** The viewer of the OpenAPI document, as its package holds it, and the page's style. */
export function pageFiles(): readonly PageFile[] {
  files ??= [
    toPageFile(
      'openapi-explorer',
      'js',
      'text/javascript',
      readFileSync(require.resolve('openapi-explorer/dist/browser/openapi-explorer.min.js')),
    ),
    toPageFile('page', 'css', 'text/css', Buffer.from(PAGE_STYLE)),
  ];
  return files;
}
