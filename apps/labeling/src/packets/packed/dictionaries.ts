import { deflateSync } from 'node:zlib';
import firstBody from './body-1.json';

/** Text that bodies share, and by which they are packed. */
export interface Dictionary {
  /** Adler-32 of its bytes, as a packed body names it (RFC 1950, DICTID). */
  readonly id: number;
  readonly bytes: Buffer;
}

/** Where DICTID stands in what is packed with a dictionary: behind the two bytes of the header. */
const ID_AT = 2;

/** The dictionary that a packed body names. */
export function dictionaryIdOf(packed: Uint8Array): number {
  return Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).readUInt32BE(ID_AT);
}

function dictionaryOf(body: unknown): Dictionary {
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  return { id: dictionaryIdOf(deflateSync('', { dictionary: bytes })), bytes };
}

/** Bodies are packed with this one. */
export const newestDictionary = dictionaryOf(firstBody);

/** Every dictionary that a stored body may have been packed with, by its id: none may ever be changed or removed. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([[newestDictionary.id, newestDictionary.bytes]]);
