import { hash } from 'node:crypto';

/** SHA-256 of bytes or UTF-8 text, as lower-case hex. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
