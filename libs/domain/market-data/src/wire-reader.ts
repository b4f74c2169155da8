import { textOf } from '#bytes';

/** Up to this length, building ASCII text here is faster than a native call. */
const SHORT_BYTES_MAX = 64;

/** Buffers of characters by length: a new one for each string would be most of what decoding allocates. */
const CODES = Array.from({ length: SHORT_BYTES_MAX + 1 }, (_, size) => new Array<number>(size).fill(0));

/** Bytes that are not a valid event. */
export class EventDecodeError extends Error {
  override readonly name = 'EventDecodeError';
}

/** Protobuf reader; throws EventDecodeError on reads past the end and values out of range. */
export class WireReader {
  position = 0;
  readonly end: number;

  constructor(private readonly bytes: Uint8Array) {
    this.end = bytes.length;
  }

  isBefore(end: number): boolean {
    if (this.position > end) throw new EventDecodeError('a field runs over the end of its message');
    return this.position < end;
  }

  varint(): number {
    const { bytes } = this;
    let byte = this.byte();
    if (byte < 128) return byte;
    let value = byte & 127;
    let factor = 128;
    for (let index = 1; index < 10; index++) {
      if (this.position >= this.end) throw new EventDecodeError('truncated varint');
      byte = bytes[this.position++] ?? 0;
      value += (byte & 127) * factor;
      if (byte < 128) {
        if (value > Number.MAX_SAFE_INTEGER) throw new EventDecodeError('integer out of range');
        return value;
      }
      factor *= 128;
    }
    throw new EventDecodeError('varint too long');
  }

  int64(): number {
    // Only a negative value needs ten bytes; the tenth holds the sign bit.
    return this.end - this.position >= 10 && (this.bytes[this.position + 9] ?? 0) === 1 && this.isTenBytes()
      ? this.negative()
      : this.varint();
  }

  string(likely = ''): string {
    const end = this.nestedEnd();
    const { bytes, position: start } = this;
    const size = end - start;
    this.position = end;
    if (size === likely.length && this.isAscii(start, likely)) return likely;
    if (size > SHORT_BYTES_MAX) return textOf(bytes, start, end);
    const codes = CODES[size] ?? [];
    for (let index = 0; index < size; index++) {
      const byte = bytes[start + index] ?? 0;
      if (byte > 127) return textOf(bytes, start, end);
      codes[index] = byte;
    }
    return String.fromCharCode(...codes);
  }

  nestedEnd(): number {
    const size = this.varint();
    if (size > this.end - this.position) throw new EventDecodeError('truncated field');
    return this.position + size;
  }

  skip(tag: number): void {
    switch (tag & 7) {
      case 0:
        while (this.byte() >= 128);
        return;
      case 1:
        this.advance(8);
        return;
      case 2:
        this.position = this.nestedEnd();
        return;
      case 5:
        this.advance(4);
        return;
      default:
        throw new EventDecodeError('unknown wire type');
    }
  }

  /** FNV-1a, 0 to 2³² − 1. */
  hash(start: number, end: number): number {
    const { bytes } = this;
    let hash = 0x811c9dc5;
    for (let index = start; index < end; index++) hash = Math.imul(hash ^ (bytes[index] ?? 0), 0x01000193);
    return hash >>> 0;
  }

  isEqual(start: number, end: number, other: Uint8Array, at: number): boolean {
    const { bytes } = this;
    for (let index = start; index < end; index++) if (bytes[index] !== other[at + index - start]) return false;
    return true;
  }

  copy(start: number, end: number, to: Uint8Array, at: number): void {
    for (let index = start; index < end; index++) to[at + index - start] = this.bytes[index] ?? 0;
  }

  private isAscii(start: number, text: string): boolean {
    for (let index = 0; index < text.length; index++) {
      const byte = this.bytes[start + index] ?? 0;
      if (byte > 127 || byte !== text.charCodeAt(index)) return false;
    }
    return true;
  }

  private isTenBytes(): boolean {
    for (let index = 0; index < 9; index++) if ((this.bytes[this.position + index] ?? 0) < 128) return false;
    return true;
  }

  private negative(): number {
    let bits = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) bits |= BigInt(this.byte() & 127) << shift;
    const value = Number(BigInt.asIntN(64, bits));
    if (!Number.isSafeInteger(value)) throw new EventDecodeError('integer out of range');
    return value;
  }

  private byte(): number {
    if (this.position >= this.end) throw new EventDecodeError('truncated field');
    return this.bytes[this.position++] ?? 0;
  }

  private advance(count: number): void {
    if (count > this.end - this.position) throw new EventDecodeError('truncated field');
    this.position += count;
  }
}
