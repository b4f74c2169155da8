import { writeText } from '#bytes';
import type { BinanceMarket, DepthDiff, Levels } from './message';
import { decimalOf } from '../decimal';

const QUOTE = 34;
const COMMA = 44;
const POINT = 46;
const ZERO = 48;
const NINE = 57;
const AT = 64;
const OPEN = 91;
const CLOSE = 93;
const UNDERSCORE = 95;
/** A double represents 15 digits exactly. */
const CHARACTERS_MAX = 15;
const TEXT_CHARACTERS_MAX = 65_536;

class ByteScan {
  private readonly bytes = new Uint8Array(TEXT_CHARACTERS_MAX * 3 + 1);
  private end = 0;
  private position = 0;
  private isOff = false;

  load(text: string, start: number): boolean {
    if (text.length > TEXT_CHARACTERS_MAX) return false;
    this.end = writeText(text, this.bytes, 0);
    this.bytes[this.end] = 0;
    this.position = start;
    this.isOff = this.end !== text.length;
    return true;
  }

  get isDone(): boolean {
    return !this.isOff && this.position === this.end;
  }

  literal(expected: string): void {
    const { bytes, position } = this;
    for (let index = 0; index < expected.length; index++) {
      if (bytes[position + index] !== expected.charCodeAt(index)) {
        this.isOff = true;
        return;
      }
    }
    this.position += expected.length;
  }

  streamName(): void {
    let byte = this.bytes[this.position] ?? 0;
    while ((byte >= 97 && byte <= 122) || (byte >= ZERO && byte <= NINE) || byte === AT || byte === UNDERSCORE) {
      byte = this.bytes[++this.position] ?? 0;
    }
  }

  capitals(): void {
    let byte = this.bytes[this.position] ?? 0;
    while (byte >= 65 && byte <= 90) byte = this.bytes[++this.position] ?? 0;
  }

  integer(): number {
    const { bytes, position: start } = this;
    let end = start;
    let value = 0;
    let byte = bytes[end] ?? 0;
    while (byte >= ZERO && byte <= NINE) {
      value = value * 10 + (byte - ZERO);
      byte = bytes[++end] ?? 0;
    }
    const digits = end - start;
    if (digits === 0 || digits > CHARACTERS_MAX || (digits > 1 && bytes[start] === ZERO)) this.isOff = true;
    this.position = end;
    return value;
  }

  levels(): Levels {
    const { bytes } = this;
    const prices: number[] = [];
    const quantities: number[] = [];
    if (bytes[this.position] === CLOSE) {
      this.position++;
      return { prices, quantities };
    }
    while (!this.isOff) {
      if (bytes[this.position++] !== OPEN) this.isOff = true;
      const price = this.decimal();
      if (bytes[this.position++] !== COMMA || !(price > 0)) this.isOff = true;
      prices.push(price);
      quantities.push(this.decimal());
      if (bytes[this.position++] !== CLOSE) this.isOff = true;
      const next = bytes[this.position++];
      if (next === CLOSE) break;
      if (next !== COMMA) this.isOff = true;
    }
    return { prices, quantities };
  }

  private decimal(): number {
    const { bytes, position: start } = this;
    let end = start + 1;
    let digits = 0;
    let point = -1;
    let byte = bytes[end] ?? 0;
    for (;;) {
      if (byte >= ZERO && byte <= NINE) digits = digits * 10 + (byte - ZERO);
      else if (byte === POINT && point < 0) point = end;
      else break;
      byte = bytes[++end] ?? 0;
    }
    const characters = end - start - 1;
    const isMisplaced = point === start + 1 || (point >= 0 && point === end - 1);
    if (bytes[start] !== QUOTE || byte !== QUOTE || characters === 0 || characters > CHARACTERS_MAX || isMisplaced) this.isOff = true;
    this.position = end + 1;
    return decimalOf(digits, point < 0 ? 0 : end - 1 - point);
  }
}

const scan = new ByteScan();

/**
 * Fast path for depth diffs, the bulk of a recording. Leaves any deviation from the venue's layout to the JSON parser.
 */
export function scanDiff(text: string, start: number, venueInstrument: string, market: BinanceMarket): DepthDiff | undefined {
  if (!scan.load(text, start)) return undefined;
  scan.literal('{"stream":"');
  scan.streamName();
  scan.literal('","data":{"e":"depthUpdate","E":');
  scan.integer();
  scan.literal(',"T":');
  const timeMs = scan.integer();
  scan.literal(',"s":"');
  scan.literal(venueInstrument);
  if (market === 'coinm') {
    scan.literal('","ps":"');
    scan.capitals();
  }
  scan.literal('","U":');
  const firstId = scan.integer();
  scan.literal(',"u":');
  const lastId = scan.integer();
  scan.literal(',"pu":');
  const previousLastId = scan.integer();
  scan.literal(',"b":[');
  const bids = scan.levels();
  scan.literal(',"a":[');
  const asks = scan.levels();
  scan.literal('}}');
  if (!scan.isDone) return undefined;
  return { type: 'depth', timeMs, firstId, lastId, previousLastId, bids, asks };
}
