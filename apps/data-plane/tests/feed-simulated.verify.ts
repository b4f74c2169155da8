import { createEventLog, LOG_START } from '@market-state/event-log';
import { silentLogger } from '@market-state/logging';
import { decodeEvent, type FeedStatus, type MarketEvent } from '@market-state/market-data';
import { type FaultCommand, startSimulatedVenue } from '@market-state/simulated-venue';
import { startStores, testRpcVariables, waitUntil } from '@market-state/testing';
import { readFeedConfig } from '../src/config';
import { startFeed } from '../src/feed/start-feed';

const seed = Number(process.env['LIVE_FEED_SEED'] ?? Date.now() % 1_000_000);
const symbol = 'SIMUSD-PERP';
/** Run one after another. */
const faults: readonly FaultCommand[] = [
  { fault: 'garbage', count: 20 },
  { fault: 'duplicate', share: 0.5, duration_ms: 1_000 },
  { fault: 'disconnect', duration_ms: 1_000 },
  { fault: 'crossed', duration_ms: 1_500 },
  { fault: 'reorder', span: 5, duration_ms: 1_000 },
  { fault: 'stall', duration_ms: 1_000 },
  // Long enough for a resubscription, then a reconnect.
  { fault: 'silent', channel: 'all', duration_ms: 25_000 },
  // Detected by the silence of the book; ends at the next metadata read.
  { fault: 'delisted', duration_ms: 15_000 },
];

type Gap = Extract<FeedStatus, { type: 'gap' }>;

/** Final state of each gap; open ones have an end of 0. */
function gapsOf(events: readonly MarketEvent[]): Gap[] {
  const gaps = new Map<string, Gap>();
  for (const event of events) {
    if (event.kind !== 'feed_status') continue;
    const { status } = event;
    if (status.type === 'gap') gaps.set(status.gapId, status);
    const opened = status.type === 'resynced' ? gaps.get(status.gapId) : undefined;
    if (status.type === 'resynced' && opened !== undefined) gaps.set(status.gapId, { ...opened, endMs: status.endMs });
  }
  return [...gaps.values()];
}

test(`under any fault of the simulated venue, the feed logs each trade once and no crossed book, and reports every gap (LIVE_FEED_SEED=${seed})`, async () => {
  const logger = silentLogger();
  const sent: { readonly tid: string; readonly timeMs: number }[] = [];
  const stores = await startStores({ services: ['data_plane'] });
  const venue = await startSimulatedVenue({
    address: '127.0.0.1:0',
    seed,
    logger,
    scenario: 'calm',
    onStep: (_step, trades) => trades.forEach(({ tid, time }) => sent.push({ tid: String(tid), timeMs: time })),
  });
  const feed = await startFeed(
    readFeedConfig({
      ...testRpcVariables('data-plane-feed'),
      DATABASE_URL: stores.postgresUrl('data_plane'),
      REDIS_URL: stores.redisUrl,
      FEED: 'simulated',
      FEED_CONSUMERS: 'none',
      SIMULATED_VENUE_ADDRESS: venue.address,
      SHUTDOWN_WAIT_MS: '0',
    }),
    { logger },
  );
  const log = createEventLog(stores.redisUrl, { logger });
  const events = async (): Promise<MarketEvent[]> =>
    (await log.read(symbol, LOG_START, { count: 1_000_000 })).map(({ payload }) => decodeEvent(payload));
  try {
    await waitUntil('a book', () => feed.snapshot(symbol)?.view.book !== undefined);
    for (const fault of faults) {
      const untilMs = venue.misbehave(fault);
      await waitUntil(`the end of ${fault.fault}`, () => Date.now() >= untilMs);
      await waitUntil(
        `a book after ${fault.fault}`,
        () => feed.snapshot(symbol)?.view.syncState === 'in_sync' && (feed.snapshot(symbol)?.view.book?.event.exchangeTsMs ?? 0) > untilMs,
      );
      // An open gap keeps its reason when later faults follow.
      await waitUntil(`the end of every gap of ${fault.fault}`, async () => gapsOf(await events()).every(({ endMs }) => endMs !== 0));
    }
    const endMs = Date.now() - 2_000;
    await waitUntil(
      'what was sent until now',
      async () => ((await events()).filter(({ kind }) => kind === 'trade').at(-1)?.exchangeTsMs ?? 0) >= endMs,
    );

    const all = await events();
    expect(all.map(({ ordinal }) => ordinal)).toEqual(all.map((_, index) => index + 1));
    for (const event of all)
      if (event.kind === 'book') expect(Number(event.bids[0]?.price)).toBeLessThanOrEqual(Number(event.asks[0]?.price));
    const logged = all.filter(({ kind }) => kind === 'trade').map(({ venueId }) => venueId);
    expect(new Set(logged).size).toBe(logged.length);
    const gaps = gapsOf(all);
    expect(gaps.some(({ reason }) => reason === 'disconnected')).toBe(true);
    expect(gaps.some(({ reason }) => reason === 'not_listed')).toBe(true);
    const lost = all.flatMap(({ kind, ...event }) => (kind === 'feed_status' && 'status' in event ? [event.status] : []));
    expect(lost).toContainEqual({
      type: 'disconnected',
      reason: expect.stringMatching(/^SIM: no book message for .* even after resubscribing$/) as string,
    });
    expect(lost).toContainEqual({ type: 'disconnected', reason: 'the venue does not list SIM' });
    const connectedMs = all[0]?.exchangeTsMs ?? Infinity;
    const missed = sent.filter(({ tid, timeMs }) => timeMs > connectedMs && timeMs < endMs && !logged.includes(tid));
    const unreportedGaps = missed.filter(
      ({ timeMs }) => !gaps.some((gap) => gap.channel !== 'book' && gap.startMs <= timeMs && timeMs <= gap.endMs),
    );
    expect(unreportedGaps).toEqual([]);
    expect(Object.keys(feed.snapshot(symbol)?.rejectedTotal ?? {})).toEqual(
      expect.arrayContaining(['broken_json', 'duplicate', 'crossed_book']),
    );
  } finally {
    await feed.close();
    await venue.close();
    await log.close();
    await stores.stop();
  }
});
