import type { Readable } from 'node:stream';

export interface ObjectStat {
  readonly sizeBytes: number;
  readonly modifiedMs: number;
}

export class ObjectNotFoundError extends Error {
  override readonly name = 'ObjectNotFoundError';

  constructor(readonly key: string) {
    super(`no object under ${key}`);
  }
}

/** Readers see a complete object or none, even after a power loss. Invalid keys reject with ObjectKeyError. */
export interface ObjectStore {
  /** Moves a file from a `scratch` folder to `key`, replacing any object; durable once resolved. */
  put(key: string, file: string): Promise<void>;
  /**
   * Path of a read-only local copy, readable while open.
   * @throws {ObjectNotFoundError}
   */
  get(key: string): Promise<string>;
  /**
   * Bytes of one version, even if the object is replaced during the read.
   * @throws {ObjectNotFoundError}
   * @throws RangeError if the object has no such range
   */
  openRange(key: string, fromByte: number, toByte: number): Promise<Readable>;
  stat(key: string): Promise<ObjectStat | undefined>;
  /** Sorted keys with this prefix, which ends with a slash or is empty. */
  list(prefix: string): Promise<string[]>;
  delete(key: string): Promise<void>;
  /** The caller removes it. */
  scratch(): Promise<string>;
  /** Removes scratch folders of killed processes. */
  sweepScratch(olderThanMs: number): Promise<void>;
}

const PART = /^[A-Za-z0-9_=.@-]{1,128}$/;
const PARTS_MAX = 12;

export class ObjectKeyError extends Error {
  override readonly name = 'ObjectKeyError';
}

/**
 * Keys have 1 to 12 slash-separated parts of letters, digits and `_=.@-`, none starting with a dot: they stay inside the
 * store and are safe in glob patterns.
 * @throws {ObjectKeyError}
 */
export function checkKey(key: string): void {
  if (!isKey(key)) throw new ObjectKeyError(`invalid object key: ${JSON.stringify(key.slice(0, 256))}`);
}

export function isKey(key: string): boolean {
  const parts = key.split('/');
  return parts.length <= PARTS_MAX && parts.every((part) => PART.test(part) && !part.startsWith('.'));
}

/** @throws RangeError if the range is not within the object */
export function checkRange(fromByte: number, toByte: number, sizeBytes: number): void {
  const isRange = Number.isSafeInteger(fromByte) && Number.isSafeInteger(toByte) && fromByte >= 0 && fromByte <= toByte;
  if (!isRange || toByte > sizeBytes) throw new RangeError(`invalid range for ${sizeBytes} bytes: ${fromByte} to ${toByte}`);
}
