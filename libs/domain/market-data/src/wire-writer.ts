import { byteLengthOf, writeText } from '#bytes';

/**
 * Writes protobuf wire format into one growing buffer. Proto3 defaults (0, false, '') are left out by the field methods,
 * as the canonical encoding asks. A writer is reused: `reset`, write fields in number order, `finish` copies the bytes out.
 */
export class WireWriter {
  private buffer = new Uint8Array(16_384);
  private length = 0;

  reset(): void {
    this.length = 0;
  }

  /** A copy of what was written since the last reset. */
  finish(): Uint8Array {
    return this.buffer.slice(0, this.length);
  }

  stringField(tag: number, value: string | undefined): void {
    if (value === undefined || value === '') return;
    this.varint(tag);
    const characters = value.length;
    this.reserve(characters * 3 + 10);
    const start = this.length;
    if (characters < 128) {
      const { buffer } = this;
      let index = 0;
      for (; index < characters; index++) {
        const code = value.charCodeAt(index);
        if (code > 127) break;
        buffer[start + 1 + index] = code;
      }
      if (index === characters) {
        buffer[start] = characters;
        this.length = start + 1 + characters;
        return;
      }
    }
    this.varint(byteLengthOf(value));
    this.length += writeText(value, this.buffer, this.length);
  }

  boolField(tag: number, value: boolean): void {
    if (!value) return;
    this.varint(tag);
    this.varint(1);
  }

  /** int64, uint64, uint32 and enum fields. @throws RangeError when the value is not a safe integer. */
  integerField(tag: number, value: number): void {
    if (value === 0) return;
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
    this.varint(tag);
    if (value < 0) this.negative(value);
    else this.varint(value);
  }

  /** Opens a nested message. Returns the mark that `close` takes. */
  open(tag: number): number {
    this.varint(tag);
    return this.openBare();
  }

  /** The same for a message that only its length precedes. */
  openBare(): number {
    this.reserve(1);
    return ++this.length;
  }

  /** Closes the nested message opened at `mark`: writes its length before it. */
  close(mark: number): void {
    const size = this.length - mark;
    if (size < 128) {
      this.buffer[mark - 1] = size;
      return;
    }
    const prefixBytes = varintSize(size);
    this.reserve(prefixBytes);
    this.buffer.copyWithin(mark - 1 + prefixBytes, mark, this.length);
    this.length = mark - 1;
    this.varint(size);
    this.length += size;
  }

  /** A bare varint: a tag, or an element of a packed field. `value` is a non-negative safe integer. */
  varint(value: number): void {
    this.reserve(10);
    if (value < 128) {
      this.buffer[this.length++] = value;
      return;
    }
    let rest = value;
    while (rest > 0x7fff_ffff) {
      this.buffer[this.length++] = (rest % 128) | 128;
      rest = Math.floor(rest / 128);
    }
    while (rest > 127) {
      this.buffer[this.length++] = (rest & 127) | 128;
      rest >>>= 7;
    }
    this.buffer[this.length++] = rest;
  }

  private negative(value: number): void {
    let rest = BigInt.asUintN(64, BigInt(value));
    this.reserve(10);
    while (rest > 127n) {
      this.buffer[this.length++] = Number(rest & 127n) | 128;
      rest >>= 7n;
    }
    this.buffer[this.length++] = Number(rest);
  }

  private reserve(bytes: number): void {
    if (this.length + bytes <= this.buffer.length) return;
    const larger = new Uint8Array(Math.max(this.buffer.length * 2, this.length + bytes));
    larger.set(this.buffer.subarray(0, this.length));
    this.buffer = larger;
  }
}

function varintSize(value: number): number {
  let size = 1;
  for (let rest = value; rest > 127; rest = Math.floor(rest / 128)) size++;
  return size;
}
