import { addressVariables, urlsBelow, venueOf, venues, type VenueUrls } from '@market-state/market-data';
import { z } from 'zod';

function url(...schemes: readonly string[]) {
  const isOne = (text: string): boolean => URL.canParse(text) && schemes.includes(new URL(text).protocol);
  return z.string().refine(isOne, `must be a URL starting with ${schemes.map((scheme) => `${scheme}//`).join(' or ')}`);
}
const webSocketUrl = url('ws:', 'wss:');
const httpUrl = url('http:', 'https:');

const variables = venues.flatMap((venue) => {
  const [names, publicUrls] = [addressVariables(venue), venue.live?.publicUrls];
  return names === undefined || publicUrls === undefined ? [] : [{ venue: venue.name, names, publicUrls }];
});

export const venueUrlVariables = z.object(
  Object.fromEntries(
    variables.flatMap(({ names, publicUrls }) => [
      [names.ws, webSocketUrl.default(publicUrls.wsUrl)],
      [names.rest, httpUrl.default(publicUrls.restUrl)],
    ]),
  ),
);

export function venueUrlsOf(
  read: z.output<typeof venueUrlVariables>,
  simulatedAddress: string | undefined,
): Readonly<Record<string, VenueUrls>> {
  const named = variables.map(({ venue, names }) => [venue, { wsUrl: read[names.ws] ?? '', restUrl: read[names.rest] ?? '' }]);
  const simulated = venueOf('simulated');
  const own =
    simulated === undefined || simulatedAddress === undefined ? [] : [[simulated.name, urlsBelow(simulated, `http://${simulatedAddress}`)]];
  return Object.fromEntries([...named, ...own]);
}
