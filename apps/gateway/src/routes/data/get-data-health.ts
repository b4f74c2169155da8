import { isServiceError } from '@market-state/errors';
import type { GrpcClient, healthDefinition } from '@market-state/grpc';
import { type MarketDataClient, type ServedSymbol, servedSymbols, sharedVenue } from '../../clients/market-data-client';
import type { LatestSource } from '../../caches/latest/latest-source';
import type { Upstreams } from '../../clients/upstreams';
import { jsonRepresentation } from '../../serving/http/representation';
import { dataAnswer } from '../../serving/answers/data-answer';
import type { Handler } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/described';

/** Time each probe has, milliseconds. */
const PROBE_DEADLINE_MS = 1_500;

type Component = Described<'ComponentHealth'>;

const STORES: ReadonlySet<string> = new Set(['postgres', 'event_log']);

function sinceMs(startedMs: number): number {
  return Math.round((performance.now() - startedMs) * 1_000) / 1_000;
}

/** The symbols served; none when the data plane cannot list them, for its health is told all the same. */
async function symbolsOrNone(client: MarketDataClient): Promise<ServedSymbol[]> {
  try {
    return await servedSymbols(client);
  } catch (error) {
    if (isServiceError(error)) return [];
    throw error;
  }
}

/** The data plane and, by its word, what it needs. */
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
        detail: 'It does not answer; what it needs cannot be told.',
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
      detail: healthy ? null : 'It answers that it does not serve.',
    };
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return { component, kind: 'service', healthy: false, latency_ms: null, detail: 'It does not answer.' };
  }
}

/** Labeling answers as a whole; that each shard works shows in the packets that it pushes. */
async function labelingPart({ labelingHealth }: Upstreams, notPushed: readonly string[]): Promise<Component> {
  const part = await servicePart('labeling', labelingHealth);
  if (!part.healthy || notPushed.length === 0) return part;
  return { ...part, healthy: false, detail: `It pushes no packets of ${notPushed.join(', ')}.` };
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
      detail: down.length === 0 ? 'Every component works.' : `Not working: ${down.join(', ')}.`,
      held: down.length === 0 ? ('all' as const) : ('fewer' as const),
    };
    return jsonRepresentation(dataAnswer({ operation, grant }, source, { status: down.length === 0 ? 'healthy' : 'degraded', components }));
  };
}
