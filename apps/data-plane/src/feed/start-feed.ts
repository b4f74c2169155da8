import { ConfigError } from '@market-state/config';
import { METHOD_RULES } from '@market-state/contracts';
import { createEventLog, type MemoryUsage } from '@market-state/event-log';
import { waitFor, within } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { IMPORT, type PlayedInstrument, type ServedInstrument, readMarket, MINUTE_MS } from '@market-state/market-data';
import { bootService, type RunningService } from '@market-state/service';
import { fillingProgress } from '@market-state/telemetry';
import { startFeedAudit } from '../audit/feed-audit';
import { type FeedConfig, serviceSettingsOf } from '../config';
import { EVENT_LOG, POSTGRES, watchStores } from '../watch-stores';
import { type Clock, createLiveClock, createSystemClock } from './clock';
import { createFeedMetrics } from './feed-metrics';
import { createLeaseStore, createFeedStateStore, type ReportedInstrument } from '../store/feed-state';
import { holderOf, startLeases } from './leases';
import { createInstrumentFactStore } from '../store/instrument-facts';
import { isLive, createVenueMetrics } from './live/venue-connections';
import { watchInstruments } from './live/watch-instruments';
import { playVenues } from './live/play-venues';
import { readRecordings } from './recordings';
import { createImports } from './import-archive';
import { playSymbol } from './symbol-player';
import { createSymbolStatus, type SymbolSnapshot } from './symbol-status';
import { bindFeedService } from './rpc';

const retentionMs = 75 * 60_000;

/** Lead over the slowest consumer while faster than real time. */
const entriesAheadMax = 20_000;

/** Time for a live symbol to write its final tick, unless a store is unavailable. */
const letGoMs = 1_000;

const megabyte = 1_048_576;

export interface FeedOverrides {
  readonly logger?: Logger;
  readonly clock?: Clock;
  readonly retentionMs?: number;
  readonly entriesAheadMax?: number;
  readonly signal?: AbortSignal;
}

export interface RunningFeed extends RunningService {
  readonly address: string;
  snapshot(symbol: string): SymbolSnapshot | undefined;
}

/**
 * Waits for Postgres and Redis, then plays all symbols until closed.
 * @throws {ConfigError} listing every recording that is unreadable or lacks its instrument, and every symbol whose primary
 * venue has changed
 */
export async function startFeed(config: FeedConfig, overrides: FeedOverrides = {}): Promise<RunningFeed> {
  const { signal } = overrides;
  const clock = overrides.clock ?? createSystemClock();
  const startedMs = clock.nowMs();
  const recordings = await readRecordings(config);
  const { SYMBOLS: symbols } = config;
  const dependencies = [POSTGRES, EVENT_LOG, ...symbols];
  const options = {
    ...serviceSettingsOf(config),
    name: 'data-plane-feed',
    methodRules: METHOD_RULES,
    dependencies,
    logger: overrides.logger,
    signal,
  };
  return bootService(options, async (service) => {
    const { logger, metrics, health, closer } = service;
    const played = config.served.filter(({ feed }) => feed !== IMPORT).map(({ symbol }) => symbol);
    const feedMetrics = createFeedMetrics(metrics, { symbols: played, monotonicMs: () => performance.now() });
    const eventLog = createEventLog(config.REDIS_URL, { logger, onRepaired: feedMetrics.repaired });
    closer.add('event log', () => eventLog.close());
    const store = createFeedStateStore(config.DATABASE_URL, logger);
    closer.add('feed state', () => store.close());
    await waitFor('postgres', () => store.ping(), { signal, logger });
    await waitFor('event_log', () => eventLog.ping(), { signal, logger });

    const reported = reportedInstruments(
      config.served,
      recordings.map(({ facts }) => facts.instrument),
    );
    const venueFaults = marketFaults(await waitFor('postgres', () => store.reportedInstruments(), { signal, logger }), reported);
    if (venueFaults.length > 0) throw new ConfigError(venueFaults.map((message) => ({ variable: 'FEED', message })));
    await waitFor('postgres', () => store.reportInstruments(reported), { signal, logger });
    const statuses = new Map(
      config.served.map((each) => [
        each.symbol,
        createSymbolStatus(each.symbol, feedMetrics, (isServing) => health.set(each.symbol, isServing), sourceOf(each)),
      ]),
    );
    const statusOf = (symbol: string) => {
      const status = statuses.get(symbol);
      if (status === undefined) throw new Error(`no status of ${symbol}`);
      return status;
    };
    const snapshots = new Map([...statuses].map(([symbol, status]) => [symbol, status.snapshot]));
    closer.add('store watch', watchStores(health, { postgres: () => store.ping(), event_log: () => eventLog.ping() }));

    const leaseStore = createLeaseStore(config.DATABASE_URL, logger);
    closer.add('lease store', () => leaseStore.close());
    const leases = startLeases({
      store: leaseStore,
      holder: holderOf(config.GRPC_ADDRESS),
      logger,
      monotonicMs: () => performance.now(),
      onLeaseChange: feedMetrics.held,
    });
    closer.add('leases', () => leases.close());
    const [letGo, stop] = [new AbortController(), new AbortController()];
    const memoryBytesMax = config.FEED_MEMORY_MB_MAX * megabyte;
    const settings = {
      speed: config.FEED_SPEED,
      startMs: config.FEED_START,
      historyMs: config.FEED_HISTORY_MINUTES === undefined ? undefined : config.FEED_HISTORY_MINUTES * MINUTE_MS,
      retentionMs: overrides.retentionMs ?? retentionMs,
      entriesAheadMax: overrides.entriesAheadMax ?? entriesAheadMax,
      expectedConsumers: config.FEED_CONSUMERS,
      memoryBytesMax,
      onMemory: (symbol: string, usage: MemoryUsage) => feedMetrics.memory(symbol, usage, memoryBytesMax),
    };
    const recorded = recordings.map(({ facts, source }) =>
      playSymbol(
        { facts, source, eventLog, store, leases, clock, logger, status: statusOf(facts.instrument.symbol), settings },
        letGo.signal,
      ).catch((error: unknown) => logger.error({ symbol: facts.instrument.symbol, err: error }, 'the recording cannot be imported')),
    );
    const importing = config.served.filter(({ feed }) => feed === IMPORT).map(({ symbol }) => [symbol, statusOf(symbol)] as const);
    for (const [, status] of importing) status.idle();
    const imports = createImports(
      { statuses: new Map(importing), rows: config.rows, eventLog, store, leases, clock, logger, settings },
      letGo.signal,
    );
    const live = playVenues(
      {
        config,
        eventLog,
        store,
        leases,
        clock: overrides.clock ?? createLiveClock(),
        logger,
        metrics: createVenueMetrics(metrics),
        statusOf,
        settings,
      },
      { letGo: letGo.signal, stop: stop.signal },
    );
    closer.add('players', async () => {
      const why = new Error('feed stopping');
      letGo.abort(why);
      const ended = Promise.all([...recorded, live, imports.ended()]);
      await within(letGoMs, ended);
      stop.abort(why);
      await ended;
    });

    const facts = watchInstruments({
      config,
      store: createInstrumentFactStore(config.DATABASE_URL, logger),
      logger,
      metrics,
      nowMs: () => clock.nowMs(),
    });
    closer.add('instruments', () => facts.close());
    const audit = startFeedAudit({
      config,
      recordings: recordings.map(({ facts }) => facts),
      logger,
      metrics,
      isPlaying: (symbol) => snapshots.get(symbol)?.().phase === 'playing',
    });
    closer.add('audit', () => audit.close());

    service.reportReadiness(() => ({
      ...readinessOf(
        dependencies,
        (dependency) => health.get(dependency) === true,
        (symbol) => snapshots.get(symbol)?.().missing,
      ),
      ...fillingOf(
        [...snapshots.values()].map((snapshot) => snapshot()),
        clock.nowMs(),
      ),
    }));
    const address = await service.serve({
      address: config.GRPC_ADDRESS,
      services: [bindFeedService({ snapshots, startedMs, imports })],
      shutdownWaitMs: config.SHUTDOWN_WAIT_MS,
    });
    return { address, snapshot: (symbol: string) => snapshots.get(symbol)?.() };
  });
}

function sourceOf(served: ServedInstrument): 'recorded' | 'live' | 'imported' {
  if (served.feed === IMPORT) return 'imported';
  return isLive(served) ? 'live' : 'recorded';
}

/** A symbol that its venue does not list is not ready, but does not block readiness of the rest. */
function readinessOf(names: readonly string[], isThere: (name: string) => boolean, missingOf: (name: string) => string | undefined) {
  const checks = Object.fromEntries(names.map((name) => [name, isThere(name)]));
  const missing = names.flatMap((name) => {
    const reason = missingOf(name);
    return reason === undefined ? [] : [[name, reason] as const];
  });
  const reasons = Object.fromEntries(missing);
  const ready = names.every((name) => checks[name] === true || name in reasons);
  return { ready, checks, ...(missing.length > 0 && { reasons }) };
}

function fillingOf(snapshots: readonly SymbolSnapshot[], nowMs: number) {
  const filling = snapshots.flatMap(({ symbol, fillingFromMs, view: { feedClockMs } }) =>
    fillingFromMs === undefined ? [] : [fillingProgress({ symbol, fromMs: fillingFromMs, reachedMs: feedClockMs }, nowMs)],
  );
  return filling.length === 0 ? {} : { filling };
}

function reportedInstruments(served: readonly ServedInstrument[], recorded: readonly PlayedInstrument[]): ReportedInstrument[] {
  return served.flatMap(({ symbol, feed, row }) => {
    const instrument = feed === 'recording' ? recorded.find((each) => each.symbol === symbol) : row;
    if (instrument === undefined) return [];
    const { venue, venueInstrument, contractValue } = instrument;
    return [
      {
        symbol,
        feed,
        venue,
        venueInstrument,
        contractValue,
        sourceKind: venue === 'simulated' ? 'simulated' : feed === 'recording' ? 'recorded' : 'live',
      },
    ];
  });
}

type MarketVenue = Pick<ReportedInstrument, 'symbol' | 'feed' | 'venue'>;

/**
 * Sentences on two feeds that play one market, and on markets that would continue the log of another venue, because the
 * order of the feeds has changed since the last start. The only venue of a symbol may change, if the symbol was never
 * recorded at the new one before.
 */
export function marketFaults(stored: readonly MarketVenue[], played: readonly MarketVenue[]): string[] {
  const before = new Map(stored.map((each) => [each.symbol, each]));
  const symbols = new Set(played.map(({ symbol: market }) => readMarket(market).symbol));
  return [...symbols].flatMap((symbol) => {
    const [was, is] = [before.get(symbol), played.find((each) => each.symbol === symbol)];
    const others = played.filter(({ symbol: market }) => market !== symbol && readMarket(market).symbol === symbol);
    const twice = others.find(({ venue }) => venue === is?.venue);
    if (twice !== undefined) return [`${symbol} of ${twice.venue} is played by both ${is?.feed} and ${twice.feed}`];
    if (was === undefined) return [];
    const swapped = others.find(({ venue }) => venue === was.venue);
    const next = is !== undefined && is.venue !== was.venue && before.has(`${symbol}@${is.venue}`) ? is : swapped;
    if (next === undefined) return [];
    return [
      `the primary venue of ${symbol} is ${was.venue}, whose log ${is?.venue ?? 'another venue'} would continue: name the feed ${was.feed} before the others again`,
    ];
  });
}
