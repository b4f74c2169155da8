import { encodeBody, encodeNow, type Encoding } from './encoding';
import { tagOf } from './entity-tag';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** How an answer may be kept and what a page in it may do, where that is not as of every answer. */
export interface Delivery {
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
