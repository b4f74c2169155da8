import { isServiceError } from '@market-state/errors';
import type { GrpcClient, healthDefinition } from '@market-state/grpc';
import { type MarketDataClient, type ServedSymbol, servedSymbols, sharedVenue } from '../../clients/market-data-client';
import type { LatestSource } from '../../caches/latest/latest-source';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/document';

/** Deadline of each probe. */
const PROBE_DEADLINE_MS = 1_500;

type Component = Described<'ComponentHealth'>;

const STORES: ReadonlySet<string> = new Set(['postgres', 'event_log']);

function sinceMs(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 1_000) / 1_000;
}

/** Returns [] if the data plane cannot list them: health is still reported. */
async function symbolsOrNone(client: MarketDataClient): Promise<ServedSymbol[]> {
  try {
    return await servedSymbols(client);
  } catch (error) {
    if (isServiceError(error)) return [];
    throw error;
  }
}

/** The data plane and its own report of its dependencies. */
async function dataPlaneParts(client: MarketDataClient): Promise<Component[]> {
  const startedMs = performance.now();
  try {
    const { components } = await client.call.getDataHealth({}, { deadlineMs: PROBE_DEADLINE_MS });
    const self: Component = { component: 'data_plane', kind: 'service', healthy: true, latency_ms: sinceMs(startedMs), detail: null };
    const parts = components.map(
      ({ component, healthy, latencyMs, detail }): Component => ({
        component,
        kind: STORES.has(component) ? 'store' : 'service',
        healthy,
        latency_ms: latencyMs,
        detail: healthy ? null : detail,
      }),
    );
    return [self, ...parts];
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return [
      {
        component: 'data_plane',
        kind: 'service',
        healthy: false,
        latency_ms: null,
        detail: 'Not responding; the state of its dependencies is unknown.',
      },
    ];
  }
}

async function servicePart(component: string, client: GrpcClient<typeof healthDefinition>): Promise<Component> {
  const startedMs = performance.now();
  try {
    const { status } = await client.call.check({ service: '' }, { deadlineMs: PROBE_DEADLINE_MS });
    const healthy = status === 'SERVING';
    return {
      component,
      kind: 'service',
      healthy,
      latency_ms: sinceMs(startedMs),
      detail: healthy ? null : 'Responding, but reports that it is not serving.',
    };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { component, kind: 'service', healthy: false, latency_ms: null, detail: 'Not responding.' };
  }
}

/** A health call covers labeling as a whole; a failed shard shows as symbols without pushed packets. */
async function labelingPart({ labelingHealth }: Upstreams, notPushed: readonly string[]): Promise<Component> {
  const part = await servicePart('labeling', labelingHealth);
  if (!part.healthy || notPushed.length === 0) return part;
  return { ...part, healthy: false, detail: `No packets pushed for ${notPushed.join(', ')}.` };
}

export function getDataHealth(upstreams: Upstreams, latest: Pick<LatestSource, 'notPushed'>, now: () => number): Handler<'getDataHealth'> {
  return async ({ operation, grant }) => {
    const [parts, labeling, account, symbols] = await Promise.all([
      dataPlaneParts(upstreams.marketData),
      labelingPart(upstreams, latest.notPushed()),
      servicePart('account', upstreams.accountHealth),
      symbolsOrNone(upstreams.marketData),
    ]);
    const components = [...parts, labeling, account];
    const down = components.filter((part) => !part.healthy).map(({ component }) => component);
    const rowsStop = down.includes('feed') || down.includes('data_plane');
    const source = {
      symbol: 'ALL',
      venue: sharedVenue(symbols),
      asOfMs: now(),
      kinds: symbols.map(({ kind }) => kind),
      state: rowsStop ? ('stale' as const) : ('fresh' as const),
      detail: down.length === 0 ? 'All components are healthy.' : `Unhealthy: ${down.join(', ')}.`,
      held: down.length === 0 ? ('all' as const) : ('fewer' as const),
    };
    return jsonRepresentation(dataAnswer({ operation, grant }, source, { status: down.length === 0 ? 'healthy' : 'degraded', components }));
  };
}
