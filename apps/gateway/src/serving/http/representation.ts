import { createHash, hash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync, zstdCompress, zstdCompressSync } from 'node:zlib';
import { inSlices } from '@market-state/lifecycle';
import { answerText } from '../meta/meta';

/** In order of preference: of an answer of 28 KB, zstd makes 7.3 KB in a fifth of the time in which br makes 6.6. */
export const ENCODINGS = ['zstd', 'br', 'gzip', 'identity'] as const;

export type Encoding = (typeof ENCODINGS)[number];

/** Compressed lightly, so that a long page does not occupy a core for a second. */
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

/** For a single answer, and for one that is read often: as small as br, at half the time. */
const ZSTD_LEVELS = { once: 3, often: 9 } as const;

function zstdOptions(sizeBytes: number, use: keyof typeof ZSTD_LEVELS) {
  return { params: { [constants.ZSTD_c_compressionLevel]: sizeBytes < LARGE_FROM_BYTES ? ZSTD_LEVELS[use] : 1 } };
}

const gzipAsync = promisify<Buffer, ReturnType<typeof gzipOptions>, Buffer>(gzip);
const brotliAsync = promisify<Buffer, ReturnType<typeof brotliOptions>, Buffer>(brotliCompress);

const zstdAsync = promisify<Buffer, ReturnType<typeof zstdOptions>, Buffer>(zstdCompress);

export async function encodeBody(bytes: Buffer, encoding: Encoding): Promise<Buffer> {
  switch (encoding) {
    case 'zstd':
      return zstdAsync(bytes, zstdOptions(bytes.length, 'once'));
    case 'br':
      return brotliAsync(bytes, brotliOptions(bytes.length));
    case 'gzip':
      return gzipAsync(bytes, gzipOptions(bytes.length));
    case 'identity':
      return bytes;
  }
}

function encodeNow(bytes: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'zstd':
      return zstdCompressSync(bytes, zstdOptions(bytes.length, 'often'));
    case 'br':
      return brotliCompressSync(bytes, brotliOptions(bytes.length));
    case 'gzip':
      return gzipSync(bytes, gzipOptions(bytes.length));
    case 'identity':
      return bytes;
  }
}

const TAG_LENGTH = 27;

/** Shared by all encodings of a body. */
export function tagOf(bytes: Buffer): string {
  return hash('sha256', bytes, 'base64url').slice(0, TAG_LENGTH);
}

export const JSON_TYPE = 'application/json; charset=utf-8';

interface Delivery {
  readonly cacheControl: string;
  readonly security: readonly string[];
}

declare const CONTENT: unique symbol;

export interface Representation<Content = unknown> {
  readonly [CONTENT]?: Content;
  /** Default: not cached; nothing in it may run or load. */
  readonly delivery?: Delivery;
  /** Request header that selects the answer, in addition to Accept-Encoding. */
  readonly varies?: string;
  readonly tag: string;
  readonly contentType: string;
  encoded(encoding: Encoding): Buffer | Promise<Buffer>;
}

/** JSON body, compressed on demand. */
export function jsonRepresentation<Body>(body: Body): Representation<Body> {
  const bytes = Buffer.from(answerText(body));
  return { tag: tagOf(bytes), contentType: JSON_TYPE, encoded: (encoding) => encodeBody(bytes, encoding) };
}

export interface TextOf<MediaType extends string> {
  readonly mediaType: MediaType;
}

/** Creates each encoding once, on first use. */
export function keptBytes<Content>(bytes: Buffer, contentType: string): Representation<Content> {
  const bodies = new Map<Encoding, Promise<Buffer>>();
  return {
    tag: tagOf(bytes),
    contentType,
    encoded(encoding) {
      const body = bodies.get(encoding) ?? encodeBody(bytes, encoding);
      bodies.set(encoding, body);
      return body;
    },
  };
}

export function keptText<MediaType extends string>(bytes: Buffer, mediaType: MediaType): Representation<TextOf<MediaType>> {
  return keptBytes(bytes, `${mediaType}; charset=utf-8`);
}

export function keptJson<Body>(body: Body): Representation<Body> {
  return keptBytes(Buffer.from(answerText(body)), JSON_TYPE);
}

/** Body with all encodings in memory. */
export interface FixedRepresentation<Content = unknown> extends Representation<Content> {
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

/** For bodies that are read often. */
function fixedBytes<Body>(bytes: Buffer): FixedRepresentation<Body> {
  const bodies = { identity: bytes, gzip: encodeNow(bytes, 'gzip'), br: encodeNow(bytes, 'br'), zstd: encodeNow(bytes, 'zstd') };
  return { tag: tagOf(bytes), contentType: JSON_TYPE, bodies, encoded: (encoding) => bodies[encoding] };
}

export function fixedJson<Body>(body: Body): FixedRepresentation<Body> {
  return fixedBytes(Buffer.from(answerText(body)));
}

/** Each encoding is created synchronously on first use: for bodies read soon or never. */
export function lazyJson<Body>(body: Body): FixedRepresentation<Body> {
  const bytes = Buffer.from(answerText(body));
  let zstd: Buffer | undefined;
  let gzip: Buffer | undefined;
  let br: Buffer | undefined;
  const bodies = {
    identity: bytes,
    get zstd() {
      return (zstd ??= encodeNow(bytes, 'zstd'));
    },
    get gzip() {
      return (gzip ??= encodeNow(bytes, 'gzip'));
    },
    get br() {
      return (br ??= encodeNow(bytes, 'br'));
    },
  };
  return { tag: tagOf(bytes), contentType: JSON_TYPE, bodies, encoded: (encoding) => bodies[encoding] };
}

/** `rewrite` must keep every field in place. */
export function withOtherValues<Body>({ bodies }: FixedRepresentation<Body>, rewrite: (json: string) => string): FixedRepresentation<Body> {
  return fixedBytes(Buffer.from(rewrite(bodies.identity.toString('utf8'))));
}

/** Fills empty lists, in their order in `body`, with serialized items, which are neither parsed nor checked. */
export async function splicedRepresentation<Field extends string, Body extends Readonly<Record<Field, readonly never[]>>>(
  body: Body,
  lists: Readonly<Record<Field, readonly Buffer[]>>,
): Promise<Representation<Body>> {
  const text = answerText(body);
  const pieces: Buffer[] = [];
  let from = 0;
  for (const [field, items] of Object.entries<readonly Buffer[]>(lists)) {
    const place = `"${field}":[`;
    const at = text.indexOf(`${place}]`, from) + place.length;
    pieces.push(Buffer.from(text.slice(from, at)), ...items);
    from = at;
  }
  pieces.push(Buffer.from(text.slice(from)));
  const hash = createHash('sha256');
  await inSlices(pieces, (piece) => hash.update(piece));
  const bytes = Buffer.concat(pieces);
  return { tag: hash.digest('base64url').slice(0, TAG_LENGTH), contentType: JSON_TYPE, encoded: (encoding) => encodeBody(bytes, encoding) };
}

const COMMA = Buffer.from(',');

export function withCommas(items: readonly Buffer[]): Buffer[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
}

export function jsonBytes(value: object): Buffer {
  return Buffer.from(answerText(value));
}
