export const BINARY_HEADER = Buffer.from('5047434f50590aff0d0a000000000000000000', 'hex');
export const BINARY_END = Buffer.from('ffff', 'hex');

const NULL_LENGTH = -1;
const UINT32 = 0x1_0000_0000;
const SHORT_TEXT = 64;

/** Bytes of a numeric before its digits: field length, digit count, weight of the first digit, sign, display scale. */
const NUMERIC_HEAD = 12;
const NEGATIVE = 0x4000;
const GROUP = 4;
const POWERS = [1, 10, 100, 1_000];
const ZERO = 0x30;
const MINUS = 0x2d;

/**
 * Encodes rows in COPY's binary format, without header and trailer. Fields must match their column types: the server
 * rejects wrong lengths, but not wrong bytes of the right length.
 */
export class CopyBinary {
  private buffer: Buffer;
  private view: DataView;
  private end = 0;

  constructor(sizeBytes = 64 * 1_024) {
    this.buffer = Buffer.allocUnsafeSlow(sizeBytes);
    this.view = viewOf(this.buffer);
  }

  get length(): number {
    return this.end;
  }

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

  int2(value: number): void {
    this.reserve(6);
    this.view.setInt32(this.end, 2);
    this.view.setInt16(this.end + 4, value);
    this.end += 6;
  }

  int4(value: number): void {
    this.reserve(8);
    this.view.setInt32(this.end, 4);
    this.view.setInt32(this.end + 4, value);
    this.end += 8;
  }

  /** Must be a safe integer. */
  int8(value: number): void {
    this.reserve(12);
    const high = Math.floor(value / UINT32);
    this.view.setInt32(this.end, 8);
    this.view.setInt32(this.end + 4, high);
    this.view.setUint32(this.end + 8, value - high * UINT32);
    this.end += 12;
  }

  text(value: string): void {
    this.reserve(4 + value.length * 3);
    const start = this.end + 4;
    const end = value.length <= SHORT_TEXT ? this.ascii(value, start) : undefined;
    this.end = end ?? start + this.buffer.write(value, start, 'utf8');
    this.view.setInt32(start - 4, this.end - start);
  }

  bytes(value: Uint8Array): void {
    this.reserve(4 + value.byteLength);
    this.view.setInt32(this.end, value.byteLength);
    this.buffer.set(value, this.end + 4);
    this.end += 4 + value.byteLength;
  }

  /**
   * Writes a plain decimal: digits with at most one point and an optional leading minus.
   * @throws {RangeError} for any other text
   */
  numeric(text: string): void {
    this.reserve(16 + text.length);
    const isNegative = text.charCodeAt(0) === MINUS;
    const first = isNegative ? 1 : 0;
    const point = text.indexOf('.', first);
    const wholeEnd = point === -1 ? text.length : point;
    const decimals = point === -1 ? 0 : text.length - point - 1;
    if (wholeEnd === first || point === text.length - 1) throw notPlain(text);
    const start = this.end + NUMERIC_HEAD;
    let end = start;
    // Groups of four digits are aligned to the point. Leading zero groups are omitted.
    let weight = Math.ceil((wholeEnd - first) / GROUP) - 1;
    for (let to = wholeEnd - weight * GROUP; to <= wholeEnd; to += GROUP) {
      const digit = groupAt(text, Math.max(first, to - GROUP), to);
      if (end === start && digit === 0) weight -= 1;
      else end = this.digit(end, digit);
    }
    for (let from = wholeEnd + 1; from < text.length; from += GROUP) {
      const to = Math.min(text.length, from + GROUP);
      const digit = groupAt(text, from, to) * (POWERS[from + GROUP - to] ?? 1);
      if (end === start && digit === 0) weight -= 1;
      else end = this.digit(end, digit);
    }
    while (end > start && this.view.getInt16(end - 2) === 0) end -= 2;
    this.numericHead(end - start, end === start ? 0 : weight, isNegative && end > start, decimals);
    this.end = end;
  }

  /** Appends fields already encoded by this class. */
  raw(fields: Uint8Array): void {
    this.reserve(fields.byteLength);
    this.buffer.set(fields, this.end);
    this.end += fields.byteLength;
  }

  /** Valid until `reset`. */
  written(): Buffer {
    return this.buffer.subarray(0, this.end);
  }

  /** Reuses the memory; the result of `written` becomes invalid. */
  reset(): void {
    this.end = 0;
  }

  private digit(at: number, digit: number): number {
    this.view.setInt16(at, digit);
    return at + 2;
  }

  private numericHead(digitBytes: number, weight: number, isNegative: boolean, decimals: number): void {
    const { view, end } = this;
    view.setInt32(end, NUMERIC_HEAD - 4 + digitBytes);
    view.setInt16(end + 4, digitBytes / 2);
    view.setInt16(end + 6, weight);
    view.setUint16(end + 8, isNegative ? NEGATIVE : 0);
    view.setUint16(end + 10, decimals);
  }

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

function groupAt(text: string, from: number, to: number): number {
  let value = 0;
  for (let at = from; at < to; at += 1) {
    const digit = text.charCodeAt(at) - ZERO;
    if (digit < 0 || digit > 9) throw notPlain(text);
    value = value * 10 + digit;
  }
  return value;
}

function notPlain(text: string): RangeError {
  return new RangeError(`not a plain decimal: ${JSON.stringify(text.slice(0, 40))}`);
}
