import { createHash } from 'node:crypto';
import { encodeBody } from './encoding';
import { TAG_LENGTH } from './entity-tag';
import { inTurns } from '@market-state/lifecycle';
import { JSON_TYPE, type Representation } from './representation';

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
