import { hash } from 'node:crypto';

/** SHA-256 of the bytes, or of a text's UTF-8: 64 lower-case hex characters. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
