import type { Readable } from 'node:stream';

/** What is known of an object without reading it. */
export interface ObjectStat {
  readonly sizeBytes: number;
  /** When it was put, milliseconds since the epoch. */
  readonly modifiedMs: number;
}

/** There is no object with that key. */
export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';

  constructor(readonly key: string) {
    super(`no object under ${key}`);
  }
}

/**
 * Files under keys (see `checkKey`). A reader finds a complete object or none, at any moment and after a power cut. Every method rejects
 * an invalid key with ObjectKeyError.
 */
export interface ObjectStore {
  /**
   * Stores a file as the object under `key`, replacing any, durably before it resolves. The file must lie in a folder of `scratch` and
   * is gone afterwards.
   */
  put(key: string, file: string): Promise<void>;
  /**
   * A local file with the object's content, to be read only. It stays readable while it is open.
   * @throws {ObjectNotFoundError}
   */
  get(key: string): Promise<string>;
  /**
   * The bytes from `fromByte` (inclusive) to `toByte` (exclusive) of an object, all of one content even if it is replaced meanwhile. A
   * stream that fails or is destroyed gives up what it reads from.
   * @throws {ObjectNotFoundError}
   * @throws RangeError when the object has no such range
   */
  openRange(key: string, fromByte: number, toByte: number): Promise<Readable>;
  /** Undefined when there is no such object. */
  stat(key: string): Promise<ObjectStat | undefined>;
  /** Keys that begin with `prefix`, which ends at a slash or is empty; sorted. */
  list(prefix: string): Promise<string[]>;
  /** Nothing happens when there is no such object. */
  delete(key: string): Promise<void>;
  /** A new empty folder for unfinished files, for this caller alone, who removes it. */
  scratch(): Promise<string>;
  /** Removes scratch folders not written to for this many milliseconds: those of killed processes. */
  sweepScratch(olderThanMs: number): Promise<void>;
}

const PART = /^[A-Za-z0-9_=.-]{1,128}$/;
const PARTS_MAX = 12;

/** A key that no object can have. */
export class ObjectKeyError extends Error {
  override readonly name = 'ObjectKeyError';
}

/**
 * Refuses an invalid key. A key has 1 to 12 parts between slashes, each of letters, digits and `_=.-`, none beginning with a dot. So a
 * key names nothing outside its store, is the same in a folder and in a bucket, and has no character with a meaning in patterns of file
 * names.
 * @throws {ObjectKeyError}
 */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new ObjectKeyError(`no key of an object: ${JSON.stringify(key.slice(0, 256))}`);
}

/** Whether an object can have that key. */
export function isKey(key: string): boolean {
  const parts = key.split('/');
  return parts.length <= PARTS_MAX && parts.every((part) => PART.test(part) && !part.startsWith('.'));
}

/** @throws RangeError when `fromByte` (inclusive) to `toByte` (exclusive) is no range of an object of that size */
export function checkRange(fromByte: number, toByte: number, sizeBytes: number): void {
  const isRange = Number.isSafeInteger(fromByte) && Number.isSafeInteger(toByte) && fromByte >= 0 && fromByte <= toByte;
  if (!isRange || toByte > sizeBytes) throw new RangeError(`no range of ${sizeBytes} bytes: from ${fromByte} to ${toByte}`);
}
