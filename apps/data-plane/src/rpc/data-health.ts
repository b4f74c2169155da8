import type { marketData, feed } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { within, beforeDeadline } from '@market-state/lifecycle';
import { dayUpToNow, freshnessWith, readFreshness } from '@market-state/live-market';
import { pingPostgres } from '@market-state/postgres';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import { countGaps } from '../store/gaps';
import type { RpcDeps } from './deps';

const PROBE_DEADLINE_MS = 1_000;

export async function getDataHealth(deps: RpcDeps): Promise<marketData.GetDataHealthResponse> {
  const [processes, stores, feeds] = await Promise.all([
    probeProcesses(deps),
    probeStores(deps),
    probeSymbolFeeds(deps, PROBE_DEADLINE_MS),
  ]);
  return { components: [...processes, ...stores, ...feeds] };
}

function probeProcesses({ feedHealth, recorderHealth }: RpcDeps): Promise<marketData.ComponentHealth[]> {
  return Promise.all([
    probe('feed', 'The feed process is not responding or not ready.', () => feedHealth.checkAny(PROBE_DEADLINE_MS)),
    probe('recorder', 'A recorder process is not responding or not ready.', () => recorderHealth.check(PROBE_DEADLINE_MS)),
  ]);
}

function probeStores({ pool, log }: RpcDeps): Promise<marketData.ComponentHealth[]> {
  return Promise.all([
    probe('postgres', 'The database is not responding.', () => pingPostgres(pool)),
    probe('event_log', 'The event log is not responding.', () => log.ping()),
  ]);
}

async function probe(component: string, complaint: string, ask: () => Promise<unknown>): Promise<marketData.ComponentHealth> {
  const startedMs = performance.now();
  const healthy = await beforeDeadline(PROBE_DEADLINE_MS, ask()).then(
    () => true,
    () => false,
  );
  return { component, healthy, latencyMs: sinceMs(startedMs), detail: healthy ? '' : complaint };
}

/** Shorter than any store restart, so that no outage goes unnoticed. */
const PROBE_EVERY_MS = 200;
/** Processes push their changes, but a hung one pushes nothing, so they are probed too. */
const PROBES_PER_MESSAGE_MAX = 5;

export async function* watchDataHealth(
  deps: RpcDeps,
  _request: marketData.WatchDataHealthRequest,
  { signal }: Pick<CallContext, 'signal'>,
): AsyncGenerator<marketData.WatchDataHealthResponse> {
  let hasChanged = true;
  let wake = (): void => undefined;
  const changed = (): void => {
    hasChanged = true;
    wake();
  };
  const stops = [deps.feedHealth, deps.recorderHealth].map((health) => health.onChange(changed));
  try {
    let processes: marketData.ComponentHealth[] = [];
    let lastSent = '';
    let probesSince = 0;
    while (!signal.aborted) {
      probesSince += 1;
      if (hasChanged || probesSince >= PROBES_PER_MESSAGE_MAX || processes.some(({ healthy }) => !healthy)) {
        hasChanged = false;
        processes = await probeProcesses(deps);
      }
      const components = [...processes, ...(await probeStores(deps))];
      const state = components.map(({ component, healthy }) => `${component} ${healthy}`).join();
      if (state !== lastSent || probesSince >= PROBES_PER_MESSAGE_MAX) {
        lastSent = state;
        probesSince = 0;
        yield { components, filling: await readFilling(deps), imported: [...deps.imported] };
      }
      if (!hasChanged) await within(PROBE_EVERY_MS, new Promise<void>((resolve) => (wake = resolve)));
    }
  } finally {
    for (const stop of stops) stop();
  }
}

async function readFilling({ feeds }: RpcDeps): Promise<marketData.HistoryFilling[]> {
  const reported = await feeds.states(PROBE_DEADLINE_MS);
  return [...reported.values()].flatMap(({ state: { symbol, fillingFromMs, feedClockMs } }) =>
    fillingFromMs === 0 ? [] : [{ symbol, fromMs: fillingFromMs, reachedMs: feedClockMs }],
  );
}

async function probeSymbolFeeds({ feeds, tail }: RpcDeps, deadlineMs: number): Promise<marketData.ComponentHealth[]> {
  const startedMs = performance.now();
  const states = await feeds.states(deadlineMs);
  const latencyMs = sinceMs(startedMs);
  return tail.symbols.map((symbol) => {
    const detail = complaintOf(states.get(symbol)?.state, tail.peek(symbol)?.isDisconnected ?? false);
    return { component: `feed:${symbol}`, healthy: detail === '', latencyMs, detail };
  });
}

const DISCONNECTED = 'The venue is disconnected.';

/** One sentence; empty if healthy. */
function complaintOf(state: feed.SymbolFeedState | undefined, isDisconnected: boolean): string {
  // A standby takes over within seconds.
  if (state?.standsBy === true) return isDisconnected ? DISCONNECTED : '';
  if (state !== undefined && state.fillingFromMs > 0)
    return `Its history is being filled and has reached ${new Date(state.feedClockMs).toISOString()}.`;
  switch (state?.phase) {
    case 'idle':
      return '';
    case 'playing':
      return isDisconnected ? DISCONNECTED : '';
    case 'priming':
      return 'The feed is catching up, or has not reached its venue yet.';
    case 'paused':
      return 'The feed is waiting for consumers of its log, or for memory.';
    case 'stopped':
      return 'The feed stopped and is retrying.';
    default:
      return 'The feed process reports no state for it.';
  }
}

function sinceMs(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 1_000) / 1_000;
}

const FEED_DEADLINE_MS = 1_000;

/** @throws ServiceError UNAVAILABLE if the feed does not respond, or none plays the symbol yet */
export async function getRejections(
  { feeds, tail }: RpcDeps,
  { symbol }: marketData.GetRejectionsRequest,
): Promise<marketData.GetRejectionsResponse> {
  refuseFaults(symbolFaults(symbol));
  tail.marketOf(symbol);
  const feed = (await feeds.states(FEED_DEADLINE_MS)).get(symbol);
  if (feed === undefined || feed.state.standsBy)
    throw unavailable('upstream_unavailable', 'The feed process that plays this symbol is not responding.');
  return { rejectedTotal: feed.state.rejectedTotal, countedSinceMs: feed.startedMs };
}

/** Reads the ledger only if memory does not cover the last 24 h. */
export async function getFreshness(deps: RpcDeps, { symbol }: marketData.GetFreshnessRequest): Promise<marketData.GetFreshnessResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const fromMemory = readFreshness(market, venue);
  if (fromMemory !== null) return fromMemory;
  const { fromMs, toMs } = dayUpToNow(market);
  const gaps = await countGaps(deps.pool, symbol, fromMs, toMs);
  // Read after the await, together with the channels, so that nothing newer is missed.
  return freshnessWith(market, venue, gaps);
}
