import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { checkKey } from './object-store';

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

/** How objects in buckets are reached, and where copies of them are. */
export interface StoreOptions {
  /** Of a service other than Amazon's: `https://host`. */
  readonly endpoint?: string | undefined;
  /** Absent: `us-east-1` with an endpoint, else what the client finds in its own settings. */
  readonly region?: string | undefined;
  /** Whether the bucket is the first part of the path instead of the host's name; absent: it is with an endpoint. */
  readonly forcePathStyle?: boolean | undefined;
  /** Folder of local copies and files in the making, shared by processes; absent: one of this user's below the temporary folder. */
  readonly cacheFolder?: string | undefined;
  /** Mebibytes of copies to keep; absent: 2,048. More while more are in use. */
  readonly cacheMb?: number | undefined;
  /** For how long a copy stays after its last use, whatever the limit says, milliseconds; absent: ten minutes. */
  readonly cacheGraceMs?: number | undefined;
  /** Time of a call with its tries, milliseconds, and beyond it a second for each MiB sent; absent: 30,000. */
  readonly deadlineMs?: number | undefined;
  /** Bytes up to which a file is sent whole (absent: 64 MiB), and otherwise those of each part (32 MiB). */
  readonly uploadSizes?: { readonly wholeBytesMax: number; readonly partBytes: number } | undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/**
 * Variables of every process that opens a store. Spread into its schema. Credentials are none of them: the client finds them in its own
 * places.
 */
export const storeVariables = {
  S3_ENDPOINT: z.string().refine(isHttpUrl, 'must be an http:// or https:// URL').optional(),
  S3_REGION: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be the name of a region')
    .optional(),
  S3_FORCE_PATH_STYLE: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .optional(),
  S3_CACHE_DIR: z.string().min(1).optional(),
};

/** What the variables say. */
export function storeOptionsOf(read: z.output<z.ZodObject<typeof storeVariables>>): StoreOptions {
  return {
    endpoint: read.S3_ENDPOINT,
    region: read.S3_REGION,
    forcePathStyle: read.S3_FORCE_PATH_STYLE,
    cacheFolder: read.S3_CACHE_DIR,
  };
}
