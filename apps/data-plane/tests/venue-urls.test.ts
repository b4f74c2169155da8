import { silentLogger } from '@market-state/logging';
import { listingReasons, venues } from '@market-state/market-data';
import { createVenueSource } from '@market-state/venues';
import { venueUrlsOf, venueUrlVariables } from '../src/config';

const live = venues.filter((venue) => venue.live !== undefined).map(({ name }) => name);

test.each(live)('%s has an address, and a source that can be made with it', (name) => {
  const urls = venueUrlsOf(venueUrlVariables.parse({}), '127.0.0.1:1')[name];
  expect(urls).toEqual({ wsUrl: expect.stringMatching(/^wss?:/), restUrl: expect.stringMatching(/^https?:/) });
  expect(createVenueSource(name, { wsUrl: '', restUrl: '', ...urls, logger: silentLogger(), metadata: listingReasons(name, []) })).toEqual({
    connect: expect.any(Function),
  });
});

test('variables name other addresses, and the simulated venue is where it is said to be, or nowhere', () => {
  const read = venueUrlVariables.parse({ HYPERLIQUID_WS_URL: 'ws://127.0.0.1:2/ws', BINANCE_USDM_REST_URL: 'http://127.0.0.1:3' });
  expect(venueUrlsOf(read, undefined)).toMatchObject({
    hyperliquid: { wsUrl: 'ws://127.0.0.1:2/ws', restUrl: 'https://api.hyperliquid.xyz' },
    'binance-coinm': { wsUrl: 'wss://dstream.binance.com', restUrl: 'https://dapi.binance.com' },
    'binance-usdm': { wsUrl: 'wss://fstream.binance.com', restUrl: 'http://127.0.0.1:3' },
  });
  expect(venueUrlsOf(read, undefined)).not.toHaveProperty('simulated');
  expect(venueUrlsOf(read, '127.0.0.1:4')['simulated']).toEqual({ wsUrl: 'ws://127.0.0.1:4/ws', restUrl: 'http://127.0.0.1:4' });
});

test('there is no source of a venue that is not known', () => {
  expect(() => createVenueSource('nowhere', { wsUrl: '', restUrl: '', logger: silentLogger() })).toThrow(
    /venue nowhere has no live source/,
  );
});
