import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { PAGE_STYLE } from './page-style';

/** A file that the reference page loads. */
export interface PageFile {
  /** Its name; holds the beginning of its hash, so that a name means the same bytes for good. */
  readonly name: string;
  readonly contentType: string;
  readonly bytes: Buffer;
}

const HASH_CHARACTERS = 12;

let files: readonly PageFile[] | undefined;

/** A file whose name holds the beginning of its hash. */
export function toPageFile(stem: string, ending: string, contentType: string, bytes: Buffer): PageFile {
  return { name: `${stem}.${createHash('sha256').update(bytes).digest('hex').slice(0, HASH_CHARACTERS)}.${ending}`, contentType, bytes };
}

/** The viewer of the OpenAPI document, as its package holds it, and the page's style. */
export function pageFiles(): readonly PageFile[] {
  files ??= [
    toPageFile(
      'openapi-explorer',
      'js',
      'text/javascript; charset=utf-8',
      readFileSync(require.resolve('openapi-explorer/dist/browser/openapi-explorer.min.js')),
    ),
    toPageFile('page', 'css', 'text/css; charset=utf-8', Buffer.from(PAGE_STYLE)),
  ];
  return files;
}
