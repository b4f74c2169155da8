import { encodeAll, encodeBody, type Encoding } from './encoding';
import { tagOf } from './entity-tag';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** How an answer may be kept and what a page in it may do, where that is not as of every answer. */
export interface Delivery {
  readonly cacheControl: string;
  /** Security headers, name and value in turns. */
  readonly security: readonly string[];
}

/** A body that can be sent in any coding. */
export interface Representation {
  /** Absent: kept by nobody, and nothing in it may run or load. */
  readonly delivery?: Delivery;
  /** What its entity tags have in common. */
  readonly tag: string;
  readonly contentType: string;
  /** The bytes in a coding. */
  encoded(encoding: Encoding): Buffer | Promise<Buffer>;
}

/** A JSON body that is compressed when it is asked for compressed. */
export function jsonRepresentation(body: unknown): Representation {
  const bytes = Buffer.from(JSON.stringify(body));
  return { tag: tagOf(bytes), contentType: JSON_TYPE, encoded: (encoding) => encodeBody(bytes, encoding) };
}

/** A body whose every coding is made once, when it is first asked for. */
export function keptRepresentation(bytes: Buffer, contentType = JSON_TYPE): Representation {
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

/** A body whose every coding is made once, now. */
export interface FixedRepresentation extends Representation {
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

export function fixedRepresentation(bytes: Buffer, contentType = JSON_TYPE): FixedRepresentation {
  const bodies = encodeAll(bytes);
  return { tag: tagOf(bytes), contentType, bodies, encoded: (encoding) => bodies[encoding] };
}
