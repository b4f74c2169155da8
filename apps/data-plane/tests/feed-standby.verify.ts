import type { MarketEvent } from '@market-state/market-data';
import { silentLogger } from '@market-state/logging';
import { startSimulatedVenue } from '@market-state/simulated-venue';
import { freePort, testRpcVariables, waitUntil } from '@market-state/testing';
import { type FeedHarness, startFeedHarness } from './feed-harness';
import { buildFeed, type FeedProcess } from './feed-process';
import { differences, recordVenue } from './venue-record';

const symbol = 'SIMUSD-PERP';
const bundle = buildFeed();
let harness: FeedHarness;
beforeAll(async () => {
  harness = await startFeedHarness();
});
afterAll(async () => {
  await harness.stop();
  bundle.remove();
});

interface StartedFeed extends FeedProcess {
  phase(): Promise<string | undefined>;
}

async function startFeedProcess(venueAddress: string): Promise<StartedFeed> {
  const ops = await freePort();
  const feed = bundle.start({
    ...testRpcVariables('data-plane-feed'),
    DATABASE_URL: harness.stores.postgresUrl('data_plane'),
    REDIS_URL: harness.stores.redisUrl,
    FEED: 'simulated',
    FEED_CONSUMERS: 'none',
    SIMULATED_VENUE_ADDRESS: venueAddress,
    OPS_PORT: String(ops),
    SHUTDOWN_WAIT_MS: '0',
  });
  return {
    ...feed,
    async phase() {
      const text = await fetch(`http://127.0.0.1:${ops}/metrics`).then(
        (answer) => answer.text(),
        () => '',
      );
      return /^feed_phase\{[^}]*phase="(\w+)"[^}]*\} 1$/m.exec(text)?.[1];
    },
  };
}

function statuses(events: readonly MarketEvent[]): string[] {
  return events.flatMap((event) => (event.kind === 'feed_status' ? [event.status.type] : []));
}

test('a feed that is stopped, and one that is killed, are carried on by those that stood by: the log is what the venue sent, entry for entry', async () => {
  const venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed: 7, logger: silentLogger(), scenario: 'calm' });
  const record = recordVenue(symbol, venue.address);
  const feeds: StartedFeed[] = [];
  const newest = async (): Promise<number> => (await harness.events(symbol)).at(-1)?.receivedTsMs ?? 0;
  const untilAfter = async (ms: number): Promise<void> => {
    await waitUntil('an entry of the next feed', async () => (await newest()) > ms);
  };
  try {
    await waitUntil('a record', () => record.events().some(({ kind }) => kind === 'trade'));
    for (let count = 0; count < 3; count += 1) feeds.push(await startFeedProcess(venue.address));
    const phases = async (): Promise<string[]> => (await Promise.all(feeds.map((feed) => feed.phase()))).map(String).sort();
    await waitUntil('one that plays and two that stand by', async () => (await phases()).join() === 'playing,standby,standby');
    const writer = async (): Promise<StartedFeed> => {
      const all = await Promise.all(feeds.map(async (feed) => ({ feed, phase: await feed.phase() })));
      const playing = all.find(({ phase }) => phase === 'playing');
      if (playing === undefined) throw new Error('no feed plays');
      feeds.splice(feeds.indexOf(playing.feed), 1);
      return playing.feed;
    };

    expect(await (await writer()).stop()).toBe(0);
    const stoppedMs = Date.now();
    await untilAfter(stoppedMs + 300);
    await (await writer()).kill();
    const killedMs = Date.now();
    await untilAfter(killedMs + 1_000);
    const log = await harness.events(symbol);

    expect(log.map(({ ordinal, epoch }) => [ordinal, epoch])).toEqual(log.map((_, index) => [index + 1, 1]));
    expect(statuses(log)).toEqual(['connected']);
    const clocks = log.map(({ receivedTsMs }) => receivedTsMs);
    expect(clocks).toEqual([...clocks].sort((a, b) => a - b));
    const ticks = log.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs] : []));
    expect(ticks).toEqual(ticks.map((_, index) => (ticks[0] ?? 0) + 250 * index));
    const settled = log.find(({ receivedTsMs }) => receivedTsMs > (clocks[0] ?? 0) + 1_500);
    await waitUntil('the rest of the record', () => (record.events().at(-1)?.receivedTsMs ?? 0) > (clocks.at(-1) ?? 0) + 500);
    expect(differences(log, record.events(), settled?.ordinal ?? 0)).toEqual([]);
  } finally {
    await Promise.all(feeds.map((feed) => feed.kill()));
    await record.close();
    await venue.close();
  }
});
