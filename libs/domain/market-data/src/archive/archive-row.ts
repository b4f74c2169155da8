import type { Channel, MarketEvent } from '../event';
import { ROW_FLAG } from '../row-flag';
import { type ArchiveCell, channelValues } from './archive-columns';

/** A row of the log as it is stored, beside what its payload says. */
export interface StoredLogRow {
  readonly ordinal: number;
  readonly epoch: number;
  readonly pass: number;
  /** Null where the venue gives none, and on a repeat. */
  readonly venueId: string | null;
  readonly exchangeTsMs: number;
  readonly receivedTsMs: number;
  /** A sum of `ROW_FLAG`. */
  readonly flags: number;
  /** The event in protobuf wire form. */
  readonly payload: Uint8Array;
}

/** The venue's id as a row keeps it: null where the venue gave none, and on a repeat. */
export function storedVenueId({ venueId }: Pick<MarketEvent, 'venueId'>, flags: number): string | null {
  return venueId === '' || (flags & ROW_FLAG.duplicate) !== 0 ? null : venueId;
}

/**
 * A row of a channel's file, values in the order of `archiveLayoutOf`. Undefined when the row is not of that symbol and channel, or is not
 * what its event says. `event`: the row's payload, decoded.
 */
export function archiveRow(symbol: string, channel: Channel, row: StoredLogRow, event: MarketEvent): ArchiveCell[] | undefined {
  const { ordinal, epoch, pass, venueId, exchangeTsMs, receivedTsMs, flags, payload } = row;
  const values = channelValues(channel, event);
  const isEntry =
    event.symbol === symbol &&
    event.ordinal === ordinal &&
    event.epoch === epoch &&
    event.pass === pass &&
    storedVenueId(event, flags) === venueId &&
    event.exchangeTsMs === exchangeTsMs &&
    event.receivedTsMs === receivedTsMs;
  if (!isEntry || values === undefined) return undefined;
  const { venue, exchangeTsIsReceiveTime } = event;
  return [ordinal, epoch, pass, venue, venueId, exchangeTsMs, receivedTsMs, exchangeTsIsReceiveTime, flags, payload, ...values];
}
