import { encodeAll, encodeBody, type Encoding } from './encoding';
import { tagOf } from './entity-tag';

export const JSON_TYPE = 'application/json; charset=utf-8';

/** A body that can be sent in any coding. */
export interface Representation {
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

/** A JSON body whose every coding is made once, now. */
export interface FixedRepresentation extends Representation {
  readonly bodies: Readonly<Record<Encoding, Buffer>>;
}

export function fixedRepresentation(bytes: Buffer): FixedRepresentation {
  const bodies = encodeAll(bytes);
  return { tag: tagOf(bytes), contentType: JSON_TYPE, bodies, encoded: (encoding) => bodies[encoding] };
}
