import type { marketData } from '@market-state/contracts';
import type { GrpcClient, healthDefinition } from '@market-state/grpc';
import { pingPostgres } from '@market-state/postgres';
import type { RpcDeps } from './deps';
import { within } from './within';

/** Time each probe has. */
const PROBE_DEADLINE_MS = 1_000;

/** Asks every process and store that the data plane needs, all at once; never fails itself. */
export async function getDataHealth({ feedHealth, recorderHealth, pool, log }: RpcDeps): Promise<marketData.GetDataHealthResponse> {
  return {
    components: await Promise.all([
      probe('feed', 'The feed process does not answer or is not ready.', () => serving(feedHealth)),
      probe('recorder', 'The recorder process does not answer or is not ready.', () => serving(recorderHealth)),
      probe('postgres', 'The database does not answer.', () => pingPostgres(pool)),
      probe('event_log', 'The event log does not answer.', () => log.ping()),
    ]),
  };
}

async function probe(component: string, complaint: string, ask: () => Promise<unknown>): Promise<marketData.ComponentHealth> {
  const startedMs = performance.now();
  const healthy = await within(ask(), PROBE_DEADLINE_MS).then(
    () => true,
    () => false,
  );
  return { component, healthy, latencyMs: Math.round((performance.now() - startedMs) * 1_000) / 1_000, detail: healthy ? '' : complaint };
}

async function serving(client: GrpcClient<typeof healthDefinition>): Promise<void> {
  const { status } = await client.call.check({ service: '' }, { deadlineMs: PROBE_DEADLINE_MS });
  if (status !== 'SERVING') throw new Error(`it says ${status}`);
}
