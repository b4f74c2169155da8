import { instrumentRows, type PlacedEvent } from '@market-state/market-data';
import { waitUntil } from '@market-state/testing';
import { followVenue } from '../src/live/follow-venue';
import { openSource } from '../src/live/live-settings';
import { startCoinVenue } from './coin-venue';

test('a venue that answers pings but sends no data is resubscribed, then reconnected; both are reported, with a gap', async () => {
  const venue = await startCoinVenue('BTC');
  const row = instrumentRows.find(({ feed, symbol }) => feed === 'hyperliquid' && symbol === 'BTCUSD-PERP');
  if (row === undefined) throw new Error('the table has no BTC of Hyperliquid');
  const instruments = [{ ...row, channels: ['book'] as const, bookStalenessMs: 300 }];
  const stop = new AbortController();
  const reported: string[] = [];
  const entries: PlacedEvent[] = [];
  const following = followVenue(
    { source: openSource('hyperliquid', venue.url, instruments), instruments, signal: stop.signal },
    {
      onMessage: () => undefined,
      onEntries: (_symbol, more) => entries.push(...more),
      onSilent: (symbol, reason) => reported.push(`${symbol} silent: ${reason.replace(/[\d.]+ s$/, '… s')}`),
      onLost: (reason) => reported.push(`lost: ${reason.replace(/[\d.]+ s/, '… s')}`),
    },
  );
  await waitUntil('a book', () => entries.some(({ event }) => event.kind === 'book'));
  const [connections, subscribed] = [venue.connections, venue.subscribed.length];
  venue.fallSilent();
  await waitUntil('another connection', () => venue.connections > connections && reported.some((line) => line.startsWith('lost')));
  stop.abort();
  await following;
  expect(new Set(reported)).toEqual(
    new Set(['BTCUSD-PERP silent: no book message for … s', 'lost: BTC: no book message for … s, even after resubscribing']),
  );
  expect(venue.subscribed.length).toBeGreaterThan(subscribed);
  expect(entries.map(({ event }) => (event.kind === 'feed_status' ? event.status : undefined))).toContainEqual(
    expect.objectContaining({ type: 'gap', reason: 'disconnected', endMs: 0 }),
  );
  await venue.close();
});
