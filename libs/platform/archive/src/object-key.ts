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
