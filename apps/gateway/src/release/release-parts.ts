import { createHash } from 'node:crypto';

/** SHA-256 of each part of a release, lower-case hex, by the part's name. */
export type ReleaseParts = ReadonlyMap<string, string>;

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/**
 * SHA-256 over one line a part, sorted by name, as `sha256sum` prints them: the hash, two spaces, the name, a line feed.
 * Names are ASCII, so that every sort agrees.
 */
export function fingerprintOf(parts: ReleaseParts): string {
  const names = [...parts.keys()].sort();
  return sha256Of(names.map((name) => `${parts.get(name) ?? ''}  ${name}\n`).join(''));
}

/** Those parts whose name begins so. */
export function partsUnder(parts: ReleaseParts, prefix: string): ReleaseParts {
  return new Map([...parts].filter(([name]) => name.startsWith(prefix)));
}
