import { byteLengthOf, writeText } from '#bytes';
import {
  type BookLevel,
  type FeedStatus,
  type MarketEvent,
  AGGRESSOR_CODES,
  CHANNEL_CODES,
  POSITION_CODES,
  PROVENANCE_CODES,
  SOURCE_KIND_CODES,
} from './event';
import { readMarket } from './market';

/** Omits proto3 defaults, as the canonical encoding requires. */
class WireWriter {
  private buffer = new Uint8Array(16_384);
  private length = 0;

  reset(): void {
    this.length = 0;
  }

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

  integerField(tag: number, value: number): void {
    if (value === 0) return;
    if (!Number.isSafeInteger(value)) throw new RangeError(`not a safe integer: ${value}`);
    this.varint(tag);
    if (value < 0) this.negative(value);
    else this.varint(value);
  }

  open(tag: number): number {
    this.varint(tag);
    return this.openBare();
  }

  openBare(): number {
    this.reserve(1);
    return ++this.length;
  }

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

const writer = new WireWriter();

/**
 * Encodes a `marketstate.marketdata.v1.MarketEvent`: fields in number order, defaults omitted, oneof members always
 * written.
 * @throws RangeError unless time, ordinal, epoch and pass are safe integers
 */
export function encodeEvent(event: MarketEvent): Uint8Array {
  writer.reset();
  writeIdentity(event, event.symbol);
  writer.integerField(7 << 3, event.receivedTsMs);
  writer.integerField(8 << 3, event.ordinal);
  writer.integerField(9 << 3, event.epoch);
  writeBody(event);
  return writer.finish();
}

/**
 * Canonical encoding for `input_digest`: `encodeEvent` without receive time, ordinal and epoch, and with the market's symbol, so
 * that it depends only on venue data.
 * @throws RangeError unless time and pass are safe integers
 */
export function canonicalBytes(event: MarketEvent): Uint8Array {
  writer.reset();
  writeIdentity(event, readMarket(event.symbol).symbol);
  writeBody(event);
  return writer.finish();
}

/**
 * Length-prefixed canonical encodings, whose SHA-256 is the `input_digest`.
 * @throws RangeError like `canonicalBytes`
 */
export function canonicalStream(events: Iterable<MarketEvent>): Uint8Array {
  writer.reset();
  for (const event of events) {
    const mark = writer.openBare();
    writeIdentity(event, readMarket(event.symbol).symbol);
    writeBody(event);
    writer.close(mark);
  }
  return writer.finish();
}

function writeIdentity(event: MarketEvent, symbol: string): void {
  writer.stringField(10, event.venue);
  writer.stringField(18, symbol);
  writer.integerField(3 << 3, event.pass);
  writer.stringField(34, event.venueId);
  writer.integerField(5 << 3, event.exchangeTsMs);
  writer.boolField(6 << 3, event.exchangeTsIsReceiveTime);
}

function writeBody(event: MarketEvent): void {
  const mark = writer.open(bodyTag(event));
  switch (event.kind) {
    case 'book':
      writeLevels(10, event.bids);
      writeLevels(18, event.asks);
      break;
    case 'trade':
      writer.stringField(10, event.price);
      writer.stringField(18, event.size);
      writer.stringField(26, event.venueSize);
      writer.integerField(4 << 3, AGGRESSOR_CODES[event.aggressorSide]);
      break;
    case 'context':
      writer.stringField(10, event.fundingRate);
      writer.stringField(18, event.openInterest);
      writer.stringField(26, event.markPrice);
      writer.stringField(34, event.oraclePrice);
      writer.stringField(42, event.midPrice);
      writer.stringField(50, event.dayVolume);
      writer.stringField(58, event.venueFundingRate);
      writer.integerField(8 << 3, event.fundingIntervalHours ?? 0);
      break;
    case 'liquidation':
      writer.integerField(1 << 3, POSITION_CODES[event.positionSide]);
      writer.stringField(18, event.price);
      writer.stringField(26, event.size);
      writer.integerField(4 << 3, PROVENANCE_CODES[event.provenance]);
      writer.stringField(42, event.venueSize);
      break;
    case 'tick':
      writer.integerField(1 << 3, event.feedClockMs);
      break;
    case 'feed_status':
      writeStatus(event.status);
      break;
  }
  writer.close(mark);
}

function bodyTag(event: MarketEvent): number {
  switch (event.kind) {
    case 'book':
      return 130;
    case 'trade':
      return 138;
    case 'context':
      return 146;
    case 'liquidation':
      return 154;
    case 'tick':
      return 162;
    case 'feed_status':
      return 170;
  }
}

function writeLevels(tag: number, levels: readonly BookLevel[]): void {
  for (const level of levels) {
    const mark = writer.open(tag);
    writer.stringField(10, level.price);
    writer.stringField(18, level.size);
    writer.stringField(26, level.venueSize);
    writer.close(mark);
  }
}

function writeStatus(status: FeedStatus): void {
  switch (status.type) {
    case 'connected': {
      const mark = writer.open(10);
      if (status.channels.length > 0) {
        const packed = writer.open(10);
        for (const channel of status.channels) writer.varint(CHANNEL_CODES[channel]);
        writer.close(packed);
      }
      writer.integerField(2 << 3, status.bookStalenessMs);
      writer.integerField(3 << 3, status.tradeStalenessMs);
      writer.integerField(4 << 3, status.contextStalenessMs);
      writer.integerField(5 << 3, status.closingLagMs);
      writer.integerField(6 << 3, SOURCE_KIND_CODES[status.sourceKind]);
      return writer.close(mark);
    }
    case 'disconnected': {
      const mark = writer.open(18);
      writer.stringField(10, status.reason);
      return writer.close(mark);
    }
    case 'gap':
    case 'resynced': {
      const mark = writer.open(status.type === 'gap' ? 26 : 34);
      writer.stringField(10, status.gapId);
      if (status.channel !== undefined) writer.integerField(2 << 3, CHANNEL_CODES[status.channel]);
      writer.integerField(3 << 3, status.startMs);
      writer.integerField(4 << 3, status.endMs);
      if (status.type === 'gap') writer.stringField(42, status.reason);
      return writer.close(mark);
    }
    case 'seam': {
      const mark = writer.open(42);
      writer.stringField(10, status.gapId);
      writer.integerField(2 << 3, status.startMs);
      writer.integerField(3 << 3, status.endMs);
      return writer.close(mark);
    }
  }
}
