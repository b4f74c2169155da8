import { hash } from 'node:crypto';

/** Lower-case hex. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
