import { z } from 'zod';

/** How objects in buckets are reached, and where copies of them are. */
export interface StoreOptions {
  /** Of a service other than Amazon's: `https://host`. */
  readonly endpoint?: string | undefined;
  /** Absent: what the client finds in its own settings, or else `us-east-1`. */
  readonly region?: string | undefined;
  /** Whether the bucket is the first part of the path instead of the host's name; absent: it is with an endpoint. */
  readonly forcePathStyle?: boolean | undefined;
  /** Folder of local copies and files in the making, shared by processes; absent: one of this user's below the temporary folder. */
  readonly cacheFolder?: string | undefined;
  /** Mebibytes of copies to keep; absent: 2,048. Those used in the last ten minutes stay beyond it. */
  readonly cacheMb?: number | undefined;
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
