const encoder = new TextEncoder();
const decoder = utf8Decoder();

/** The text's UTF-8. A lone surrogate becomes U+FFFD. */
export function bytesOf(text: string): Uint8Array {
  return encoder.encode(text);
}

/** Bytes that the text has in UTF-8. */
export function byteLengthOf(text: string): number {
  return encoder.encode(text).length;
}

/** The text that the bytes from `start` to `end` are in UTF-8; what is none of it becomes U+FFFD. */
export function textOf(bytes: Uint8Array, start = 0, end = bytes.length): string {
  return decoder.decode(bytes.subarray(start, end));
}

/** Writes the text as UTF-8 from `at` on, as many whole characters as fit. Returns how many bytes that were. */
export function writeText(text: string, bytes: Uint8Array, at: number): number {
  return encoder.encodeInto(text, bytes.subarray(at)).written;
}

/** Decodes UTF-8 chunk by chunk; a character may begin in one and end in the next. */
export class TextDecoding {
  private readonly decoder = utf8Decoder();

  write(chunk: Uint8Array): string {
    return this.decoder.decode(chunk, { stream: true });
  }

  /** What is left of a character that did not end. */
  end(): string {
    return this.decoder.decode();
  }
}

/** A byte order mark is a character like another. */
function utf8Decoder() {
  return new TextDecoder('utf-8', { ignoreBOM: true });
}
