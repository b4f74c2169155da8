import { silentLogger } from '@market-state/logging';
import { contractValuesOf, type PlayedInstrument, urlsBelow, venueOf, venues } from '@market-state/market-data';
import { createVenueSource, type VenueSource } from '@market-state/venues';

const names = venues.filter(({ live }) => live !== undefined).map(({ name }) => name);

/** Whether a venue is found without an address. */
export function hasPublicAddress(venue: string): boolean {
  return venueOf(venue)?.live?.publicUrls !== undefined;
}

/** Venues whose live messages are known, those with a public address first. */
export const LIVE_VENUES = [
  ...names.filter(hasPublicAddress),
  ...names.filter((name) => !hasPublicAddress(name)),
] as readonly string[] as readonly [string, ...string[]];

/**
 * The source of a venue's live messages.
 * @param url its address, where it is not the public one
 * @throws RangeError when there is neither
 */
export function openSource(name: string, url: string | undefined, instruments: readonly PlayedInstrument[]): VenueSource {
  const venue = venueOf(name);
  const urls = venue === undefined || url === undefined ? venue?.live?.publicUrls : urlsBelow(venue, url);
  if (urls === undefined) throw new RangeError(`${name} has no public address`);
  const { wsUrl, restUrl } = urls;
  return createVenueSource(name, { wsUrl, restUrl, contractValues: contractValuesOf(instruments), logger: silentLogger() });
}
