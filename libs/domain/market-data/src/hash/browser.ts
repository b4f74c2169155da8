import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';
import { bytesOf } from '../bytes/browser';

/** SHA-256 of the bytes, or of a text's UTF-8: 64 lower-case hex characters. WebCrypto's is asynchronous, and the labeler is not. */
export function sha256Hex(data: Uint8Array | string): string {
  return bytesToHex(sha256(typeof data === 'string' ? bytesOf(data) : data));
}
