import { isAscii } from 'node:buffer';
import { hash } from 'node:crypto';
import { StringDecoder } from 'node:string_decoder';

/** A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

export function byteLengthOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** Invalid bytes become U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return bufferOf(bytes).toString('utf8', start, end);
}

/** Writes whole characters that fit. Returns the number of bytes. */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  return bufferOf(bytes).write(text, at, 'utf8');
}

export class TextDecoding {
  private readonly decoder = new StringDecoder('utf8');
  private isWhole = true;

  write(chunk: Uint8Array): string {
    // Fast path: most input is ASCII and only needs copying.
    const isPlain = isAscii(chunk);
    const buffer = bufferOf(chunk);
    const text = isPlain && this.isWhole ? buffer.toString('latin1') : this.decoder.write(buffer);
    if (chunk.length > 0) this.isWhole = isPlain;
    return text;
  }

  end(): string {
    return this.decoder.end();
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** Lower-case hex. */
export function sha256Hex(data: Uint8Array | string): string {
  return hash('sha256', data, 'hex');
}
