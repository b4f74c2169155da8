import { isAbsolute } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { checkKey } from './object-store';

/** `prefix` has no leading or trailing slash and can be empty. */
export type StoreLocation =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 's3'; readonly bucket: string; readonly prefix: string };

const BUCKET = /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/;
const SHAPE = 'must be the absolute path of a folder, file:///folder or s3://bucket/prefix';

/** Absolute folder path, `file:` URL, or `s3://bucket` with an optional prefix. */
export const storeUrl = z.string().refine((text) => placeOf(text) !== undefined, SHAPE);

export function parseStoreUrl(url: string): StoreLocation {
  const place = placeOf(url);
  if (place === undefined) throw new RangeError(`store URL ${SHAPE}`);
  return place;
}

/** Undefined for a bucket. */
export function folderOfStore(url: string): string | undefined {
  const place = parseStoreUrl(url);
  return place.kind === 'folder' ? place.path : undefined;
}

function placeOf(text: string): StoreLocation | undefined {
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

export interface StoreOptions {
  /** Endpoint of a service other than Amazon's, such as `https://host`. */
  readonly endpoint?: string | undefined;
  /** Default: `us-east-1` with an endpoint, otherwise the SDK's own configuration. */
  readonly region?: string | undefined;
  /** Puts the bucket in the path instead of the host name; default: true with an endpoint. */
  readonly forcePathStyle?: boolean | undefined;
  /** Shared by processes; default: a folder of this user in the temporary folder. */
  readonly cacheFolder?: string | undefined;
  /** Cache size in MiB; default 2,048. Files in use can exceed it. */
  readonly cacheMb?: number | undefined;
  /** Minimum time after the last use; default ten minutes. */
  readonly cacheGraceMs?: number | undefined;
  /** Includes retries, plus 1 s per MiB sent; default 30,000. */
  readonly deadlineMs?: number | undefined;
  readonly uploadSizes?: { readonly wholeBytesMax: number; readonly partBytes: number } | undefined;
}

function isHttpUrl(text: string): boolean {
  return URL.canParse(text) && ['http:', 'https:'].includes(new URL(text).protocol);
}

/** The SDK finds credentials itself. */
export const storeVariables = {
  S3_ENDPOINT: z.string().refine(isHttpUrl, 'must be an http:// or https:// URL').optional(),
  S3_REGION: z
    .string()
    .regex(/^[A-Za-z0-9-]{1,64}$/, 'must be a region name')
    .optional(),
  S3_FORCE_PATH_STYLE: z
    .enum(['true', 'false'], 'must be true or false')
    .transform((text) => text === 'true')
    .optional(),
  S3_CACHE_DIR: z.string().min(1).optional(),
};

export function storeOptionsOf(read: z.output<z.ZodObject<typeof storeVariables>>): StoreOptions {
  return {
    endpoint: read.S3_ENDPOINT,
    region: read.S3_REGION,
    forcePathStyle: read.S3_FORCE_PATH_STYLE,
    cacheFolder: read.S3_CACHE_DIR,
  };
}
