import { contractValuesOf, type InstrumentRow, listingReasons, liveVenueOf, type ServedInstrument } from '@market-state/market-data';
import type { Logger } from '@market-state/logging';
import { createVenueSource, type VenueClock, type VenueSource } from '@market-state/venues';
import type { FeedConfig } from '../../config';

export interface OpenConnection {
  readonly venue: string;
  readonly source: VenueSource;
  readonly rows: readonly InstrumentRow[];
  readonly namesOf: (line: string) => readonly string[];
}

export function venueConnections(config: FeedConfig, clock: VenueClock, logger: Logger): OpenConnection[] {
  const rows = config.served.filter(isLive).map(({ row }) => row);
  return [...new Set(rows.map(({ venue }) => venue))].map((venue) => {
    const carried = rows.filter((row) => row.venue === venue);
    return { venue, source: sourceOf(venue, carried, config, clock, logger), rows: carried, namesOf: liveVenueOf(venue).namesOf };
  });
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
