import { numericParts } from './numeric-parts';

/** What COPY's binary format begins with: its signature, no flags, no extension. */
export const BINARY_HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
/** What it ends with. */
export const BINARY_END = Buffer.from('ffff', 'hex');

/** Length of a field that is null. */
const NULL_LENGTH = -1;
const UINT32 = 0x1_0000_0000;
const SHORT_TEXT = 64;

/**
 * Writes rows in COPY's binary format straight into bytes, without header and end. Every field must have the type of its column:
 * the server refuses a row whose fields have other lengths, and takes wrong bytes of the right length for values.
 */
export class CopyBinary {
  private buffer: Buffer;
  private view: DataView;
  private end = 0;

  /** @param sizeBytes room at first; it grows as needed */
  constructor(sizeBytes = 64 * 1_024) {
    this.buffer = Buffer.allocUnsafeSlow(sizeBytes);
    this.view = viewOf(this.buffer);
  }

  /** Bytes written so far: where the next field begins. */
  get length(): number {
    return this.end;
  }

  /** Begins a row of so many fields. */
  row(fields: number): void {
    this.reserve(2);
    this.view.setInt16(this.end, fields);
    this.end += 2;
  }

  null(): void {
    this.reserve(4);
    this.view.setInt32(this.end, NULL_LENGTH);
    this.end += 4;
  }

  /** smallint */
  int2(value: number): void {
    this.reserve(6);
    this.view.setInt32(this.end, 2);
    this.view.setInt16(this.end + 4, value);
    this.end += 6;
  }

  /** integer */
  int4(value: number): void {
    this.reserve(8);
    this.view.setInt32(this.end, 4);
    this.view.setInt32(this.end + 4, value);
    this.end += 8;
  }

  /** bigint, of a safe integer. */
  int8(value: number): void {
    this.reserve(12);
    const high = Math.floor(value / UINT32);
    this.view.setInt32(this.end, 8);
    this.view.setInt32(this.end + 4, high);
    this.view.setUint32(this.end + 8, value - high * UINT32);
    this.end += 12;
  }

  /** text */
  text(value: string): void {
    this.reserve(4 + value.length * 3);
    const start = this.end + 4;
    const end = value.length <= SHORT_TEXT ? this.ascii(value, start) : undefined;
    this.end = end ?? start + this.buffer.write(value, start, 'utf8');
    this.view.setInt32(start - 4, this.end - start);
  }

  /** bytea */
  bytes(value: Uint8Array): void {
    this.reserve(4 + value.byteLength);
    this.view.setInt32(this.end, value.byteLength);
    this.buffer.set(value, this.end + 4);
    this.end += 4 + value.byteLength;
  }

  /**
   * numeric, of a plain decimal.
   * @throws {RangeError} when the text is none
   */
  numeric(text: string): void {
    const { digits, weight, isNegative, decimals } = numericParts(text);
    this.reserve(12 + digits.length * 2);
    const { view } = this;
    view.setInt32(this.end, 8 + digits.length * 2);
    view.setInt16(this.end + 4, digits.length);
    view.setInt16(this.end + 6, weight);
    view.setUint16(this.end + 8, isNegative ? 0x4000 : 0);
    view.setUint16(this.end + 10, decimals);
    this.end += 12;
    for (const digit of digits) {
      view.setInt16(this.end, digit);
      this.end += 2;
    }
  }

  /** Bytes that are fields already, as this class wrote them. */
  raw(fields: Uint8Array): void {
    this.reserve(fields.byteLength);
    this.buffer.set(fields, this.end);
    this.end += fields.byteLength;
  }

  /** What was written; nothing may be written after it. */
  take(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  /** Where the text ends; undefined when a character is not ASCII. */
  private ascii(value: string, start: number): number | undefined {
    const { buffer } = this;
    for (let index = 0; index < value.length; index += 1) {
      const code = value.charCodeAt(index);
      if (code > 0x7f) return undefined;
      buffer[start + index] = code;
    }
    return start + value.length;
  }

  private reserve(moreBytes: number): void {
    if (this.end + moreBytes <= this.buffer.length) return;
    const grown = Buffer.allocUnsafeSlow(Math.max(this.buffer.length * 2, this.end + moreBytes));
    this.buffer.copy(grown, 0, 0, this.end);
    this.buffer = grown;
    this.view = viewOf(grown);
  }
}

function viewOf(buffer: Buffer): DataView {
  return new DataView(buffer.buffer, buffer.byteOffset, buffer.byteLength);
}
