import type { marketData, feed } from '@market-state/contracts';
import { unavailable } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { within, beforeDeadline } from '@market-state/lifecycle';
import { dayUpToNow, freshnessWith, readFreshness } from '@market-state/live-market';
import { pingPostgres } from '@market-state/postgres';
import { refuseFaults, symbolFaults } from '@market-state/request-checks';
import { countGaps } from '../store/gaps';
import type { RpcDeps } from './deps';

/** Time each probe has. */
const PROBE_DEADLINE_MS = 1_000;

/** Asks every process and store that the data plane needs and looks at each symbol's feed, all at once; never fails itself. */
export async function getDataHealth(deps: RpcDeps): Promise<marketData.GetDataHealthResponse> {
  const [processes, stores, feeds] = await Promise.all([
    probeProcesses(deps),
    probeStores(deps),
    probeSymbolFeeds(deps, PROBE_DEADLINE_MS),
  ]);
  return { components: [...processes, ...stores, ...feeds] };
}

/** The other processes of the data plane. */
function probeProcesses({ feedHealth, recorderHealth }: RpcDeps): Promise<marketData.ComponentHealth[]> {
  return Promise.all([
    probe('feed', 'The feed process does not answer or is not ready.', () => feedHealth.checkAny(PROBE_DEADLINE_MS)),
    probe('recorder', 'A recorder process does not answer or is not ready.', () => recorderHealth.check(PROBE_DEADLINE_MS)),
  ]);
}

function probeStores({ pool, log }: RpcDeps): Promise<marketData.ComponentHealth[]> {
  return Promise.all([
    probe('postgres', 'The database does not answer.', () => pingPostgres(pool)),
    probe('event_log', 'The event log does not answer.', () => log.ping()),
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

/** Shorter than any store takes to come back, so that no loss goes unseen. */
const PROBE_EVERY_MS = 200;
/** Processes push their changes; they are asked as well, since one that hangs pushes nothing. */
const PROBES_PER_MESSAGE_MAX = 5;

/** Watches every process and store; tells of each change, and once a second in any case. */
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
    let told = '';
    let probesSince = 0;
    while (!signal.aborted) {
      probesSince += 1;
      if (hasChanged || probesSince >= PROBES_PER_MESSAGE_MAX || processes.some(({ healthy }) => !healthy)) {
        hasChanged = false;
        processes = await probeProcesses(deps);
      }
      const components = [...processes, ...(await probeStores(deps))];
      const state = components.map(({ component, healthy }) => `${component} ${healthy}`).join();
      if (state !== told || probesSince >= PROBES_PER_MESSAGE_MAX) {
        told = state;
        probesSince = 0;
        yield { components };
      }
      if (!hasChanged) await within(PROBE_EVERY_MS, new Promise<void>((resolve) => (wake = resolve)));
    }
  } finally {
    for (const stop of stops) stop();
  }
}

/** Asks the feed how far each symbol is, and the log whether its venue is connected; never fails itself. */
async function probeSymbolFeeds({ feeds, tail }: RpcDeps, deadlineMs: number): Promise<marketData.ComponentHealth[]> {
  const startedMs = performance.now();
  const told = await feeds.states(deadlineMs);
  const latencyMs = sinceMs(startedMs);
  return tail.symbols.map((symbol) => {
    const detail = complaintOf(told.get(symbol)?.state, tail.peek(symbol)?.isDisconnected ?? false);
    return { component: `feed:${symbol}`, healthy: detail === '', latencyMs, detail };
  });
}

const DISCONNECTED = 'The venue is disconnected.';

/** What is wrong with a symbol's feed, in a sentence; empty when nothing is. */
function complaintOf(state: feed.SymbolFeedState | undefined, isDisconnected: boolean): string {
  // One that stands by takes over within seconds from one that writes no more.
  if (state?.standsBy === true) return isDisconnected ? DISCONNECTED : '';
  switch (state?.phase) {
    case 'playing':
      return isDisconnected ? DISCONNECTED : '';
    case 'priming':
      return 'It is behind its time, or its venue was not reached yet.';
    case 'paused':
      return 'It waits for consumers of its log, or for room in it.';
    case 'stopped':
      return 'It has stopped, and is tried again.';
    default:
      return 'The feed process does not tell of it.';
  }
}

/** Time since a reading of `performance.now`, milliseconds with three decimals. */
function sinceMs(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 1_000) / 1_000;
}

/** Time the feed has to answer. */
const FEED_DEADLINE_MS = 1_000;

/** What the feed counted of a symbol. @throws ServiceError UNAVAILABLE when it does not answer, or none plays the symbol yet */
export async function getRejections(
  { feeds, tail }: RpcDeps,
  { symbol }: marketData.GetRejectionsRequest,
): Promise<marketData.GetRejectionsResponse> {
  refuseFaults(symbolFaults(symbol));
  tail.marketOf(symbol);
  const told = (await feeds.states(FEED_DEADLINE_MS)).get(symbol);
  if (told === undefined || told.state.standsBy)
    throw unavailable('upstream_unavailable', 'The feed process that plays this symbol does not answer.');
  return { rejectedTotal: told.state.rejectedTotal, countedSinceMs: told.startedMs };
}

/** Ages by the feed's clock, and the gaps of the last 24 h; the ledger is read only where memory does not hold all of them. */
export async function getFreshness(deps: RpcDeps, { symbol }: marketData.GetFreshnessRequest): Promise<marketData.GetFreshnessResponse> {
  refuseFaults(symbolFaults(symbol));
  const market = deps.tail.marketOf(symbol);
  const venue = deps.venues.of(symbol);
  const fromMemory = readFreshness(market, venue);
  if (fromMemory !== null) return fromMemory;
  const { fromMs, toMs } = dayUpToNow(market);
  const gaps = await countGaps(deps.pool, symbol, fromMs, toMs);
  // Read with the channels, after the wait: nothing was received after it.
  return freshnessWith(market, venue, gaps);
}
