import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import Negotiator from 'negotiator';

/** Codings of a body, the most welcome first where a caller prefers none. */
export const ENCODINGS = ['br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Bodies above this are compressed lightly, so that one reader of a long page does not keep a core for a second. */
const LARGE_FROM_BYTES = 1_048_576;

function brotliOptions(sizeBytes: number) {
  return {
    params: {
      [constants.BROTLI_PARAM_QUALITY]: sizeBytes < LARGE_FROM_BYTES ? 5 : 1,
      [constants.BROTLI_PARAM_MODE]: constants.BROTLI_MODE_TEXT,
    },
  };
}

function gzipOptions(sizeBytes: number) {
  return { level: sizeBytes < LARGE_FROM_BYTES ? 6 : 1 };
}

/** Bodies below this are sent as they are. */
const COMPRESS_FROM_BYTES = 1_024;

const MEMO_SIZE = 256;
const memo = new Map<string, Encoding>();

/** The published types of negotiator lack `preferred`, which it has since 1.0. */
interface EncodingNegotiator {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined;
}

function negotiate(header: string): Encoding {
  const negotiator = new Negotiator({ headers: { 'accept-encoding': header } }) as unknown as EncodingNegotiator;
  const chosen = negotiator.encoding(ENCODINGS, { preferred: ENCODINGS });
  return ENCODINGS.find((encoding) => encoding === chosen) ?? 'identity';
}

/** The coding to send a body in: br or gzip where it is worth it and `Accept-Encoding` allows it, br when both are as welcome. */
export function chooseEncoding(header: string | undefined, sizeBytes: number): Encoding {
  if (header === undefined || sizeBytes < COMPRESS_FROM_BYTES) return 'identity';
  const known = memo.get(header);
  if (known !== undefined) return known;
  const chosen = negotiate(header);
  if (memo.size >= MEMO_SIZE) memo.clear();
  memo.set(header, chosen);
  return chosen;
}

const gzipAsync = promisify<Buffer, ReturnType<typeof gzipOptions>, Buffer>(gzip);
const brotliAsync = promisify<Buffer, ReturnType<typeof brotliOptions>, Buffer>(brotliCompress);

/** The bytes in a coding, made off the event loop. */
export async function encodeBody(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'br':
      return brotliAsync(bytes, brotliOptions(bytes.length));
    case 'gzip':
      return gzipAsync(bytes, gzipOptions(bytes.length));
    case 'identity':
      return bytes;
  }
}

/** The bytes in a coding, made at once: for what is short or made rarely. */
export function encodeNow(bytes: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(bytes, brotliOptions(bytes.length));
    case 'gzip':
      return gzipSync(bytes, gzipOptions(bytes.length));
    case 'identity':
      return bytes;
  }
}
