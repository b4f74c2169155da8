import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex } from '@noble/hashes/utils.js';

const encoder = new TextEncoder();
const decoder = utf8Decoder();

/** A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

export function byteLengthOf(text: string): number {
  return encoder.encode(text).length;
}

/** Invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** Writes whole characters that fit. Returns the number of bytes. */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  return encoder.encodeInto(text, bytes.subarray(at)).written;
}

export class TextDecoding {
  private readonly decoder = utf8Decoder();

  write(chunk: Uint8Array): string {
    return this.decoder.decode(chunk, { stream: true });
  }

  end(): string {
    return this.decoder.decode();
  }
}

function utf8Decoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}

/** Lower-case hex. WebCrypto is asynchronous, but the labeler is synchronous. */
export function sha256Hex(data: Uint8Array | string): string {
  return bytesToHex(sha256(typeof data === 'string' ? bytesOf(data) : data));
}
