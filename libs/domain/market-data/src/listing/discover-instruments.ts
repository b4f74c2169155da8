import type { FeedName, InstrumentRow } from '../played-instrument';
import { instrumentRows } from '../instrument-rows';
import { type Venue, venues } from '../venues';
import { chooseSymbols, selectsFromTable } from './choose-symbols';
import type { ListingAnswers, ListingRequest } from './listed-perpetual';
import { type LeftOut, rowsOfListing } from './rows-of-listing';

export interface DiscoveryOptions {
  readonly feeds: readonly FeedName[];
  /** Current table, by default the bundled one: rows keep their limits and symbols, feeds without metadata their rows. */
  readonly rows?: readonly InstrumentRow[];
  ask(venue: string, requests: readonly ListingRequest[]): Promise<ListingAnswers>;
}

/** Instrument table of everything that the feeds' venues list, after the rows of feeds without metadata. */
export interface Discovery {
  readonly rows: readonly InstrumentRow[];
  readonly leftOut: readonly LeftOut[];
}

/** True if words of `SYMBOLS` select from the list of a feed's venue, or name what the bundled table lacks. */
export function needsDiscovery(feeds: readonly FeedName[], words: readonly string[]): boolean {
  if (words.length === 0 || !venues.some(({ live }) => isDiscovered(live, feeds))) return false;
  const known = instrumentRows.filter(({ feed }) => feeds.includes(feed)).map((row) => ({ symbol: row.symbol, row }));
  return selectsFromTable(words) || chooseSymbols(words, known).faults.length > 0;
}

/** Rejects as `ask`, or with ListingError if an answer is not the venue's metadata. */
export async function discoverInstruments({ feeds, rows = instrumentRows, ask }: DiscoveryOptions): Promise<Discovery> {
  const listed = await Promise.all(
    venues.flatMap(({ name: venue, live }) => {
      if (!isDiscovered(live, feeds)) return [];
      const { feed, limits, listing } = live;
      return [ask(venue, listing.requests).then((answers) => ({ venue, feed, limits, listing: listing.read(answers) }))];
    }),
  );
  const found = rowsOfListing(listed, rows);
  return { rows: [...rows.filter((row) => !listed.some(({ feed }) => feed === row.feed)), ...found.rows], leftOut: found.leftOut };
}

type LivePart = NonNullable<Venue['live']>;

/** A venue of this installation alone, such as the simulated one, has only the rows of the table. */
function isDiscovered(live: LivePart | undefined, feeds: readonly FeedName[]): live is LivePart & Required<Pick<LivePart, 'listing'>> {
  return live?.listing !== undefined && live.publicUrls !== undefined && feeds.includes(live.feed);
}
