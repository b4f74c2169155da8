import { hash } from 'node:crypto';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

/** Digest of tenant and operation: known before the charge. */
export function receiptIdOf(tenantId: string, operationId: string): string {
  // A one-shot hash to a string costs a sixth of a hash object with a buffer.
  const digest = hash('sha256', `${tenantId}\n${operationId}`, 'binary');
  let id = 'rcp_';
  for (let at = 0; at < ID_LENGTH; at += 1) id += CROCKFORD.charAt(digest.charCodeAt(at) % 32);
  return id;
}
