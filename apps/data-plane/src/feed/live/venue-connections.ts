import {
  contractValuesOf,
  type InstrumentRow,
  listingReasons,
  liveVenueOf,
  type ServedInstrument,
  venueOf,
} from '@market-state/market-data';
import type { Logger } from '@market-state/logging';
import { createVenueSource, type VenueClock, type VenueSource } from '@market-state/venues';
import type { FeedConfig } from '../../config';

export interface OpenConnection {
  /** Venue, with a number from the second connection on: `okx-2`. */
  readonly name: string;
  readonly source: VenueSource;
  readonly rows: readonly InstrumentRow[];
  readonly namesOf: (line: string) => readonly string[];
}

export function venueConnections(config: FeedConfig, clock: VenueClock, logger: Logger): OpenConnection[] {
  const rows = config.served.filter(isLive).map(({ row }) => row);
  return [...new Set(rows.map(({ venue }) => venue))].flatMap((venue) => {
    const carried = rows.filter((row) => row.venue === venue);
    return chunksOf(carried, venueOf(venue)?.live?.connectionMax ?? Infinity).map((chunk, index) => ({
      name: index === 0 ? venue : `${venue}-${index + 1}`,
      source: sourceOf(venue, chunk, config, clock, logger),
      rows: chunk,
      namesOf: liveVenueOf(venue).namesOf,
    }));
  });
}

function chunksOf<Row>(rows: readonly Row[], max: number): readonly (readonly Row[])[] {
  return rows.length <= max ? [rows] : [rows.slice(0, max), ...chunksOf(rows.slice(max), max)];
}

export function isLive(served: ServedInstrument): served is ServedInstrument & { readonly row: InstrumentRow } {
  return served.feed !== 'recording' && served.row !== undefined;
}

function sourceOf(
  venue: string,
  rows: readonly InstrumentRow[],
  { venueUrls }: FeedConfig,
  clock: VenueClock,
  logger: Logger,
): VenueSource {
  const urls = venueUrls[venue];
  if (urls === undefined) throw new Error(`no address for venue ${venue}`);
  return createVenueSource(venue, {
    ...urls,
    contractValues: contractValuesOf(rows),
    metadata: listingReasons(venue, rows),
    logger,
    clock,
  });
}
