import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import type { BookEvent } from '@market-state/market-data';

/** A book event without its levels: they go into the row as the bytes they are. */
export type BookHead = Omit<BookEvent, 'bids' | 'asks'>;

/** Field numbers of marketstate.marketdata.v1.MarketEvent. */
const FIELD = { venue: 1, symbol: 2, pass: 3, venueId: 4, exchangeTsMs: 5, isReceiveTime: 6, receivedTsMs: 7, ordinal: 8, epoch: 9, book: 16 } as const;

/**
 * Reads the envelope of a book event and passes over its levels, which are most of its bytes; undefined when the payload is
 * no book event.
 */
export function readBookHead(payload: Uint8Array): BookHead | undefined {
  const reader = new BinaryReader(payload);
  const head = { kind: 'book' as const, venue: '', symbol: '', pass: 0, venueId: '', exchangeTsMs: 0, exchangeTsIsReceiveTime: false, receivedTsMs: 0, ordinal: 0, epoch: 0 };
  let isBook = false;
  while (reader.pos < reader.len) {
    const [field, wireType] = reader.tag();
    switch (field) {
      case FIELD.venue:
        head.venue = reader.string();
        break;
      case FIELD.symbol:
        head.symbol = reader.string();
        break;
      case FIELD.pass:
        head.pass = reader.uint32();
        break;
      case FIELD.venueId:
        head.venueId = reader.string();
        break;
      case FIELD.exchangeTsMs:
        head.exchangeTsMs = Number(reader.int64());
        break;
      case FIELD.isReceiveTime:
        head.exchangeTsIsReceiveTime = reader.bool();
        break;
      case FIELD.receivedTsMs:
        head.receivedTsMs = Number(reader.int64());
        break;
      case FIELD.ordinal:
        head.ordinal = Number(reader.uint64());
        break;
      case FIELD.epoch:
        head.epoch = reader.uint32();
        break;
      default:
        if (field > FIELD.book && wireType === WireType.LengthDelimited) return undefined;
        isBook ||= field === FIELD.book;
        reader.skip(wireType, field);
    }
  }
  return isBook ? head : undefined;
}
