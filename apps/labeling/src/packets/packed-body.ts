import { deflateSync, inflateSync } from 'node:zlib';
import firstBody from './packed/body-1.json';

/** Shortest zlib data with a dictionary: header, DICTID, an empty block, check value. */
const PACKED_BYTES_MIN = 12;
/** Largest body that is unpacked: many times what a packet can be. */
const BODY_BYTES_MAX = 4 * 1_024 * 1_024;
/** Zlib's usual one; 9 takes twice the time for a hundredth of the size. */
const LEVEL = 6;

/** A packet's body as it is stored: zlib data (RFC 1950) with a preset dictionary, which its header names. */
export function packBody(body: string): Buffer {
  return deflateSync(body, { level: LEVEL, dictionary: newestDictionary.bytes });
}

/**
 * The body that was packed.
 * @throws {Error} where the bytes are damaged, or name a dictionary that is not known here
 */
export function unpackBody(packed: Uint8Array): string {
  if (packed.length < PACKED_BYTES_MIN) throw new Error(`A packed body of ${packed.length} bytes is cut short.`);
  const id = dictionaryIdOf(packed);
  const dictionary = dictionaries.get(id);
  if (dictionary === undefined) throw new Error(`A packed body names dictionary ${id}, which this release does not have.`);
  return inflateSync(packed, { dictionary, maxOutputLength: BODY_BYTES_MAX }).toString('utf8');
}

/** Text that bodies share, and by which they are packed. */
interface Dictionary {
  /** Adler-32 of its bytes, as a packed body names it (RFC 1950, DICTID). */
  readonly id: number;
  readonly bytes: Buffer;
}

/** Where DICTID stands in what is packed with a dictionary: behind the two bytes of the header. */
const ID_AT = 2;

/** The dictionary that a packed body names. */
function dictionaryIdOf(packed: Uint8Array): number {
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
