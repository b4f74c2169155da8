import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { bytesOf } from '../bytes/browser';

/** Lower-case hex. WebCrypto is asynchronous, but the labeler is synchronous. */
export function sha256Hex(data: Uint8Array | string): string {
  return bytesToHex(sha256(typeof data === 'string' ? bytesOf(data) : data));
}
