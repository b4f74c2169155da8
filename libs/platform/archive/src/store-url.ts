import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { checkKey } from './object-key';

/** Where a store is. `prefix` has no slash at either end and may be empty. */
export type StorePlace =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const SHAPE = 'must be the absolute path of a folder, file:///folder or s3://bucket/prefix';

/** A place of a store: the absolute path of a folder, that path as a `file:` URL, or `s3://bucket/prefix`, whose prefix may be absent. */
export const storeUrl = z.string().refine((text) => placeOf(text) !== undefined, SHAPE);

/**
 * Reads the URL of a store.
 * @throws RangeError when it is none
 */
export function parseStoreUrl(url: string): StorePlace {
  const place = placeOf(url);
  if (place === undefined) throw new RangeError(`the URL of a store ${SHAPE}`);
  return place;
}

/** The folder that the URL of a store names; undefined for a bucket. */
export function folderOfStore(url: string): string | undefined {
  const place = parseStoreUrl(url);
  return place.kind === 'folder' ? place.path : undefined;
}

function placeOf(text: string): StorePlace | undefined {
  if (isAbsolute(text)) return { kind: 'folder', path: text };
  try {
    if (text.startsWith('file:')) return { kind: 'folder', path: fileURLToPath(text) };
    const [, bucket = '', prefix = ''] = /^s3:\/\/([^/]+)(?:\/(.*?)\/?)?$/.exec(text) ?? [];
    if (!BUCKET.test(bucket)) return undefined;
    if (prefix !== '') checkKey(prefix);
    return { kind: 's3', bucket, prefix };
  } catch {
    return undefined;
  }
}
