import { createHash } from 'node:crypto';
import { promisify } from 'node:util';
import { brotliCompress, brotliCompressSync, constants, gzip, gzipSync } from 'node:zlib';
import { inTurns } from '@market-state/lifecycle';
import fresh from 'fresh';
import Negotiator from 'negotiator';

/** Codings of a body, the most welcome first where a caller prefers none. */
const ENCODINGS = ['br', 'gzip', 'identity'] as const;

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
function encodeNow(bytes: Buffer, encoding: Encoding): Buffer {
  switch (encoding) {
    case 'br':
      return brotliCompressSync(bytes, brotliOptions(bytes.length));
    case 'gzip':
      return gzipSync(bytes, gzipOptions(bytes.length));
    case 'identity':
      return bytes;
  }
}

/** Characters of a tag. */
const TAG_LENGTH = 27;

/** What the tags of one body have in common, whatever its coding. */
export function tagOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, TAG_LENGTH);
}

/** Strong validator of a body in one coding. */
export function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** Whether `If-None-Match` names the body with this tag, in any coding. */
export function namesTag(header: string | undefined, tag: string): boolean {
  return header !== undefined && ENCODINGS.some((encoding) => fresh({ 'if-none-match': header }, { etag: entityTag(tag, encoding) }));
}

export const JSON_TYPE = 'application/json; charset=utf-8';

/** How an answer may be kept and what a page in it may do, where that is not as of every answer. */
interface Delivery {
  readonly cacheControl: string;
  /** Security headers, name and value in turns. */
  readonly security: readonly string[];
}

declare const CONTENT: unique symbol;

/** A body that can be sent in any coding; `Content` is what its bytes are: the value of JSON, or the text of a media type. */
export interface Representation<Content = unknown> {
  /** Known to the compiler alone. */
  readonly [CONTENT]?: Content;
  /** Absent: kept by nobody, and nothing in it may run or load. */
  readonly delivery?: Delivery;
  /** A header of the request, beside that of codings, by which another answer may be chosen at the same path. */
  readonly varies?: string;
  /** What its entity tags have in common. */
  readonly tag: string;
  readonly contentType: string;
  /** The bytes in a coding. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer>;
}

/** A JSON body that is compressed when it is asked for compressed. */
export function jsonRepresentation<Body>(body: Body): Representation<Body> {
  const bytes = Buffer.from(JSON.stringify(body));
  return { tag: tagOf(bytes), contentType: JSON_TYPE, encoded: (encoding) => encodeBody(bytes, encoding) };
}

/** Text of a media type other than JSON. */
export interface TextOf<MediaType extends string> {
  readonly mediaType: MediaType;
}

/** Bytes whose every coding is made once, when it is first asked for. */
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

/** A text whose every coding is made once, when it is first asked for. */
export function keptText<MediaType extends string>(bytes: Buffer, mediaType: MediaType): Representation<TextOf<MediaType>> {
  return keptBytes(bytes, `${mediaType}; charset=utf-8`);
}

/** A JSON body whose every coding is made once, when it is first asked for. */
export function keptJson<Body>(body: Body): Representation<Body> {
  return keptBytes(Buffer.from(JSON.stringify(body)), JSON_TYPE);
}

/** A body whose bytes in every coding are there when they are asked for. */
export interface FixedRepresentation<Content = unknown> extends Representation<Content> {
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

/** A body whose every coding is made now: for what is made rarely and read often. */
function fixedBytes<Body>(bytes: Buffer): FixedRepresentation<Body> {
  const bodies = { identity: bytes, gzip: encodeNow(bytes, 'gzip'), br: encodeNow(bytes, 'br') };
  return { tag: tagOf(bytes), contentType: JSON_TYPE, bodies, encoded: (encoding) => bodies[encoding] };
}

export function fixedJson<Body>(body: Body): FixedRepresentation<Body> {
  return fixedBytes(Buffer.from(JSON.stringify(body)));
}

/** A JSON body whose every coding is made once, when it is first sent in it: for what is read soon or never. */
export function lazyJson<Body>(body: Body): FixedRepresentation<Body> {
  const bytes = Buffer.from(JSON.stringify(body));
  let gzip: Buffer | undefined;
  let br: Buffer | undefined;
  const bodies = {
    identity: bytes,
    get gzip() {
      return (gzip ??= encodeNow(bytes, 'gzip'));
    },
    get br() {
      return (br ??= encodeNow(bytes, 'br'));
    },
  };
  return { tag: tagOf(bytes), contentType: JSON_TYPE, bodies, encoded: (encoding) => bodies[encoding] };
}

/** A body with other values in its text: `rewrite` must leave every field in its place. */
export function withOtherValues<Body>({ bodies }: FixedRepresentation<Body>, rewrite: (json: string) => string): FixedRepresentation<Body> {
  return fixedBytes(Buffer.from(rewrite(bodies.identity.toString('utf8'))));
}

/**
 * A JSON body whose list `field`, empty in `body`, is filled with items that are JSON already, commas between them. They are
 * neither parsed nor written anew, so nothing checks here that they are what the document says of them.
 */
export async function splicedRepresentation<Field extends string, Body extends Readonly<Record<Field, readonly never[]>>>(
  body: Body,
  field: Field,
  items: readonly Buffer[],
): Promise<Representation<Body>> {
  const text = JSON.stringify(body);
  const place = `"${field}":[`;
  const at = text.indexOf(`${place}]`) + place.length;
  const pieces = [Buffer.from(text.slice(0, at)), ...items, Buffer.from(text.slice(at))];
  const hash = createHash('sha256');
  await inTurns(pieces, (piece) => hash.update(piece));
  const bytes = Buffer.concat(pieces);
  return { tag: hash.digest('base64url').slice(0, TAG_LENGTH), contentType: JSON_TYPE, encoded: (encoding) => encodeBody(bytes, encoding) };
}

const COMMA = Buffer.from(',');

/** Items of a list, with the commas between them. */
export function withCommas(items: readonly Buffer[]): Buffer[] {
  return items.flatMap((item, index) => (index === 0 ? [item] : [COMMA, item]));
}

export function jsonBytes(value: object): Buffer {
  return Buffer.from(JSON.stringify(value));
}
