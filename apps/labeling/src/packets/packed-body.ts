import { deflateSync, inflateSync } from 'node:zlib';
import firstBody from './packed/body-1.json';

/** Shortest zlib data with a dictionary: header, DICTID, empty block, checksum. */
const PACKED_BYTES_MIN = 12;
const BODY_BYTES_MAX = 4 * 1_024 * 1_024;
/** zlib's default; 9 takes twice the time and saves one percent. */
const LEVEL = 6;

/** Zlib data (RFC 1950) with a preset dictionary named in its header. */
export function packBody(body: string): Buffer {
  return deflateSync(body, { level: LEVEL, dictionary: newestDictionary.bytes });
}

/** @throws {Error} if the bytes are damaged, or name an unknown dictionary */
export function unpackBody(packed: Uint8Array): string {
  if (packed.length < PACKED_BYTES_MIN) throw new Error(`A packed body of ${packed.length} bytes is cut short.`);
  const id = dictionaryIdOf(packed);
  const dictionary = dictionaries.get(id);
  if (dictionary === undefined) throw new Error(`A packed body names dictionary ${id}, which this release does not have.`);
  return inflateSync(packed, { dictionary, maxOutputLength: BODY_BYTES_MAX }).toString('utf8');
}

interface Dictionary {
  /** Adler-32 of its bytes, as named in a packed body (RFC 1950, DICTID). */
  readonly id: number;
  readonly bytes: Buffer;
}

const ID_AT = 2;

function dictionaryIdOf(packed: Uint8Array): number {
  return Buffer.from(packed.buffer, packed.byteOffset, packed.byteLength).readUInt32BE(ID_AT);
}

function dictionaryOf(body: unknown): Dictionary {
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  return { id: dictionaryIdOf(deflateSync('', { dictionary: bytes })), bytes };
}

export const newestDictionary = dictionaryOf(firstBody);

/** Keyed by id. Never change or remove one. */
export const dictionaries: ReadonlyMap<number, Buffer> = new Map([[newestDictionary.id, newestDictionary.bytes]]);
