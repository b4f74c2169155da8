import type { marketData } from '@market-state/contracts';
import { pingPostgres } from '@market-state/postgres';
import { beforeDeadline } from '@market-state/lifecycle';
import type { RpcDeps } from './deps';
import { probeSymbolFeeds, sinceMs } from './symbol-feeds';

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
export function probeProcesses({ feedHealth, recorderHealth }: RpcDeps): Promise<marketData.ComponentHealth[]> {
  return Promise.all([
    probe('feed', 'The feed process does not answer or is not ready.', () => feedHealth.checkAny(PROBE_DEADLINE_MS)),
    probe('recorder', 'A recorder process does not answer or is not ready.', () => recorderHealth.check(PROBE_DEADLINE_MS)),
  ]);
}

export function probeStores({ pool, log }: RpcDeps): Promise<marketData.ComponentHealth[]> {
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
