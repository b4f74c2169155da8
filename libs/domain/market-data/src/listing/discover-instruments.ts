import type { FeedName, InstrumentRow, PlayedInstrument } from '../played-instrument';
import { instrumentRows } from '../instrument-rows';
import { type Venue, venues, venueOf } from '../venues';
import { chooseSymbols, selectsFromTable } from './choose-symbols';
import type { ListingAnswers, ListingRequest, ListedPerpetual, VenueListing } from './listed-perpetual';
import { type LeftOut, rowsOfListing } from './rows-of-listing';
import { compareDecimals } from '../decimal';

interface DiscoveryOptions {
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

interface ListingReasons extends Pick<VenueListing, 'requests'> {
  /** The returned function gives the reason why an instrument cannot be played. @throws ListingError */
  reasonsOf(answers: ListingAnswers): (venueInstrument: string) => string | undefined;
}

/** Reasons in a venue's metadata not to play its instruments; undefined if it has no metadata. */
export function listingReasons(venue: string, instruments: readonly PlayedInstrument[]): ListingReasons | undefined {
  const listing = venueOf(venue)?.live?.listing;
  if (listing === undefined) return undefined;
  return {
    requests: listing.requests.filter(({ isOptional }) => isOptional !== true),
    reasonsOf(answers) {
      const listed = new Map(listing.read(answers).map((each) => [each.venueInstrument, each]));
      return (name) => {
        const found = listed.get(name);
        if (found === undefined) return `the venue lists no perpetual ${name}`;
        if (found.notTraded !== undefined) return `the venue does not trade ${name}: ${found.notTraded}`;
        return otherContract(
          found,
          instruments.find(({ venueInstrument }) => venueInstrument === name),
        );
      };
    },
  };
}

/** With another size of the contract, every size would be wrong. */
function otherContract({ venueInstrument: name, unit }: ListedPerpetual, played: PlayedInstrument | undefined): string | undefined {
  const theirs = unit === 'base' ? undefined : 'contractValue' in unit ? unit.contractValue : unit.contractSize;
  const ours = played?.contractValue ?? played?.contractSize;
  if (played === undefined || theirs === ours) return undefined;
  if (theirs !== undefined && ours !== undefined && compareDecimals(theirs, ours) === 0) return undefined;
  return `a contract of ${name} is ${theirs ?? 'a base unit'} at the venue and ${ours ?? 'a base unit'} in the instrument table`;
}
