import { createHash } from 'node:crypto';
import fresh from 'fresh';
import { type Encoding, ENCODINGS } from './encoding';

/** Characters of a tag. */
export const TAG_LENGTH = 27;

/** What the tags of one body have in common, whatever its coding. */
export function tagOf(bytes: Buffer): string {
  return createHash('sha256').update(bytes).digest('base64url').slice(0, TAG_LENGTH);
}

/** Strong validator of a body in one coding. */
export function entityTag(tag: string, encoding: Encoding): string {
  return encoding === 'identity' ? `"${tag}"` : `"${tag}-${encoding}"`;
}

/** Whether `If-None-Match` names the body with this tag, in any coding. */
export function namesTag(header: string | undefined, tag: string): boolean {
  return header !== undefined && ENCODINGS.some((encoding) => fresh({ 'if-none-match': header }, { etag: entityTag(tag, encoding) }));
}
