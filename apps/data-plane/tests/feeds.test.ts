import { Readable } from 'node:stream';
import { feed } from '@market-state/contracts';
import { failedPrecondition, unknownSymbol } from '@market-state/errors';
import { bindService, createClient, createHealth, startGrpcServer } from '@market-state/grpc';
import { createCloser } from '@market-state/lifecycle';
import { silentLogger } from '@market-state/logging';
import { freePort, testPeer, testServing } from '@market-state/testing';
import { createFeeds } from '../src/feeds';

const closer = createCloser();
afterEach(() => closer.close());

const deepBook = { bids: [], asks: [], pass: 0, venueId: '7', exchangeTsMs: 1, receivedTsMs: 2, feedClockMs: 3, syncState: 'in_sync' };

async function startFeed(address: string, standsBy: boolean, startedMs: number, own = 'BTCUSD-PERP'): Promise<void> {
  const server = await startGrpcServer({
    ...testServing('data-plane-feed'),
    address,
    health: createHealth(),
    logger: silentLogger(),
    shutdownWaitMs: 0,
    services: [
      bindService(feed.FeedServiceService, {
        importArchive: () => Readable.from([]),
        getDeepBook: async ({ symbol }) => {
          if (symbol !== own) throw unknownSymbol(symbol, [own]);
          if (standsBy) throw failedPrecondition('book_not_available', 'Another feed writes the log.');
          return deepBook;
        },
        getFeedState: async () => ({
          startedMs,
          symbols: [
            {
              symbol: own,
              phase: standsBy ? 'standby' : 'playing',
              pass: 0,
              epoch: 1,
              lastOrdinal: standsBy ? 0 : 9,
              feedClockMs: 1,
              rejectedTotal: {},
              standsBy,
              fillingFromMs: 0,
            },
          ],
        }),
      }),
    ],
  });
  closer.add(address, () => server.close());
}

/** Both on one port at two local addresses, like pods. */
async function startPair(writing: boolean): Promise<ReturnType<typeof createFeeds>> {
  const port = await freePort();
  await startFeed(`127.0.0.1:${port}`, true, 100);
  if (writing) await startFeed(`127.0.0.2:${port}`, false, 200);
  const feeds = createFeeds({
    addresses: [`feeds.test:${port}`],
    open: (address) => createClient({ definition: feed.FeedServiceService, peer: testPeer('data-plane-feed'), address }),
    // Nothing listens at the last address.
    lookUp: async () => ['127.0.0.1', ...(writing ? ['127.0.0.2'] : []), '127.0.0.3'],
  });
  closer.add('feeds', () => feeds.close());
  return feeds;
}

test('of two feeds the one that writes the log answers, never the one that stands by', async () => {
  const feeds = await startPair(true);
  for (let turn = 0; turn < 5; turn += 1) {
    expect(await feeds.deepBook({ symbol: 'BTCUSD-PERP', depth: 5 }, 2_000)).toMatchObject({ venueId: '7' });
    const reported = (await feeds.states(2_000)).get('BTCUSD-PERP');
    expect([reported?.state.lastOrdinal, reported?.state.standsBy, reported?.startedMs]).toEqual([9, false, 200]);
  }
});

test('each feed of other shards reports its own symbols, and the error is that of one that knows the symbol', async () => {
  const port = await freePort();
  await startFeed(`127.0.0.1:${port}`, false, 100, 'ETHUSD-PERP');
  await startFeed(`127.0.0.2:${port}`, true, 200);
  const feeds = createFeeds({
    addresses: [`127.0.0.1:${port}`, `127.0.0.2:${port}`],
    open: (address) => createClient({ definition: feed.FeedServiceService, peer: testPeer('data-plane-feed'), address }),
  });
  closer.add('feeds', () => feeds.close());
  const deepBookOf = (symbol: string) => feeds.deepBook({ symbol, depth: 5 }, 2_000);
  expect([...(await feeds.states(2_000)).keys()].sort()).toEqual(['BTCUSD-PERP', 'ETHUSD-PERP']);
  expect(await deepBookOf('ETHUSD-PERP')).toMatchObject({ venueId: '7' });
  await expect(deepBookOf('BTCUSD-PERP')).rejects.toMatchObject({ reason: 'book_not_available' });
  await expect(deepBookOf('SOLUSD-PERP')).rejects.toMatchObject({ reason: 'unknown_symbol' });
});

test('while no feed can be found, that is said', async () => {
  const feeds = createFeeds({
    addresses: ['feeds.test:7000'],
    lookUp: async () => [],
    open: () => {
      throw new Error('nothing listens');
    },
  });
  closer.add('feeds', () => feeds.close());
  expect(await feeds.states(2_000)).toEqual(new Map());
  await expect(feeds.deepBook({ symbol: 'BTCUSD-PERP', depth: 5 }, 2_000)).rejects.toMatchObject({ reason: 'upstream_unavailable' });
});

test('where only the one that stands by is there, it says so, and gives no book', async () => {
  const feeds = await startPair(false);
  expect((await feeds.states(2_000)).get('BTCUSD-PERP')?.state.standsBy).toBe(true);
  await expect(feeds.deepBook({ symbol: 'BTCUSD-PERP', depth: 5 }, 2_000)).rejects.toBeDefined();
});
