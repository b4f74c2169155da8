import { createHash } from 'node:crypto';

const CROCKFORD = '0123456789abcdefghjkmnpqrstvwxyz';
const ID_LENGTH = 26;

/** Known before the charge: a digest of tenant and operation. */
export function receiptIdOf(tenantId: string, operationId: string): string {
  const digest = createHash('sha256').update(`${tenantId}\n${operationId}`).digest();
  return `rcp_${Array.from(digest.subarray(0, ID_LENGTH), (byte) => CROCKFORD.charAt(byte % 32)).join('')}`;
}
