import type { Encoding } from '../http/encoding';
import { entityTag } from '../http/entity-tag';
import type { FixedRepresentation } from '../http/representation';
import { notModifiedHeaders, successHeaders } from '../http/send';

/** Headers of one answer in one coding, name and value in turns. */
export interface ReadyHeaders {
  readonly etag: string;
  readonly ok: readonly string[];
  readonly notModified: readonly string[];
}

const ready = new WeakMap<FixedRepresentation, Map<Encoding, ReadyHeaders>>();

/** Made once, and kept as long as the answer is. */
export function readyHeaders(representation: FixedRepresentation, encoding: Encoding): ReadyHeaders {
  const byEncoding = ready.get(representation) ?? new Map<Encoding, ReadyHeaders>();
  ready.set(representation, byEncoding);
  const known = byEncoding.get(encoding);
  if (known !== undefined) return known;
  const made: ReadyHeaders = {
    etag: entityTag(representation.tag, encoding),
    ok: successHeaders(representation, encoding, representation.bodies[encoding].length),
    notModified: notModifiedHeaders(representation, encoding),
  };
  byEncoding.set(encoding, made);
  return made;
}
