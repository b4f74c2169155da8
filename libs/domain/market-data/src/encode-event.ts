import type { BookLevel, FeedStatus, MarketEvent } from './event';
import { AGGRESSOR_CODES, CHANNEL_CODES, POSITION_CODES, PROVENANCE_CODES, SOURCE_KIND_CODES } from './event-codes';
import { WireWriter } from './wire-writer';

const writer = new WireWriter();

/**
 * The event in the wire form of `marketstate.marketdata.v1.MarketEvent`: fields in number order, defaults left out, the
 * body's and the status' oneof member always written, even when empty.
 * @throws RangeError when a time, ordinal, epoch or pass is not a safe integer.
 */
export function encodeEvent(event: MarketEvent): Uint8Array {
  writer.reset();
  writeIdentity(event);
  writer.integerField(7 << 3, event.receivedTsMs);
  writer.integerField(8 << 3, event.ordinal);
  writer.integerField(9 << 3, event.epoch);
  writeBody(event);
  return writer.finish();
}

/**
 * The canonical encoding that `input_digest` reads: `encodeEvent` without receive time, ordinal and epoch, so that it depends
 * on what the venue said alone, not on when or where it was logged.
 * @throws RangeError when a time or pass is not a safe integer.
 */
export function canonicalBytes(event: MarketEvent): Uint8Array {
  writer.reset();
  writeIdentity(event);
  writeBody(event);
  return writer.finish();
}

/**
 * The canonical encodings of the events one after the other, each after its length as a varint: what `input_digest` is the SHA-256 of.
 * @throws RangeError as `canonicalBytes`.
 */
export function canonicalStream(events: Iterable<MarketEvent>): Uint8Array {
  writer.reset();
  for (const event of events) {
    const mark = writer.openBare();
    writeIdentity(event);
    writeBody(event);
    writer.close(mark);
  }
  return writer.finish();
}

function writeIdentity(event: MarketEvent): void {
  writer.stringField(10, event.venue);
  writer.stringField(18, event.symbol);
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
