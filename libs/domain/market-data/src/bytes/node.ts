import { isAscii } from 'node:buffer';
import { StringDecoder } from 'node:string_decoder';

/** The text's UTF-8. A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  return Buffer.from(text, 'utf8');
}

/** Bytes that the text has in UTF-8. */
export function byteLengthOf(text: string): number {
  return Buffer.byteLength(text, 'utf8');
}

/** The text that the bytes from `start` to `end` are in UTF-8; what is none of it becomes U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return bufferOf(bytes).toString('utf8', start, end);
}

/** Writes the text as UTF-8 from `at` on, as many whole characters as fit. Returns how many bytes that were. */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  return bufferOf(bytes).write(text, at, 'utf8');
}

/** Decodes UTF-8 chunk by chunk; a character may begin in one and end in the next. */
export class TextDecoding {
  private readonly decoder = new StringDecoder('utf8');
  /** What came last was ASCII to its end: no character waits for its other bytes. */
  private isWhole = true;

  write(chunk: Uint8Array): string {
    // Most input is ASCII, which need only be copied.
    const isPlain = isAscii(chunk);
    const buffer = bufferOf(chunk);
    const text = isPlain && this.isWhole ? buffer.toString('latin1') : this.decoder.write(buffer);
    if (chunk.length > 0) this.isWhole = isPlain;
    return text;
  }

  /** What is left of a character that did not end. */
  end(): string {
    return this.decoder.end();
  }
}

function bufferOf(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}
