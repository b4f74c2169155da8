import type { marketData } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { GrpcClient } from '@market-state/grpc';
import { fromProtoSourceKind } from '../clients/source-kind';
import { buildMeta } from '../http/meta';
import { jsonRepresentation } from '../http/representation';
import { toUtc } from '../http/utc';
import type { Handler } from './handler';

/** The one value that all share, else `multiple`; `unknown` for an empty list. */
function shared(values: readonly string[]): string {
  const [first, ...others] = new Set(values);
  return first === undefined ? 'unknown' : others.length === 0 ? first : 'multiple';
}

/** The instruments served; none when the data plane cannot list them, for its health is told all the same. */
async function listInstruments(client: GrpcClient<marketData.MarketDataServiceService>): Promise<marketData.Instrument[]> {
  try {
    return (await client.call.listInstruments({})).instruments;
  } catch (error) {
    if (isServiceError(error)) return [];
    throw error;
  }
}

export function getDataHealth(client: GrpcClient<marketData.MarketDataServiceService>, now: () => number): Handler {
  return async ({ operation }) => {
    const [{ components }, instruments] = await Promise.all([client.call.getDataHealth({}), listInstruments(client)]);
    const healthy = components.every((component) => component.healthy);
    const sourceKinds = [...new Set(instruments.map((instrument) => fromProtoSourceKind(instrument.sourceKind)))];
    const down = components.filter((component) => !component.healthy).map(({ component }) => component);
    const statusText = healthy ? 'Every component works.' : `Not working: ${down.join(', ')}.`;
    return jsonRepresentation({
      symbol: 'ALL',
      venue: shared(instruments.map(({ venue }) => venue)),
      as_of_utc: toUtc(now()),
      source_status: {
        source_kind: sourceKinds.length === 1 ? sourceKinds[0] : 'unknown',
        state: down.includes('feed') ? 'stale' : 'fresh',
        detail: statusText,
      },
      status: healthy ? 'healthy' : 'degraded',
      components: components.map(({ component, healthy: works, latencyMs, detail }) => ({ component, healthy: works, latency_ms: latencyMs, detail })),
      meta: buildMeta({
        sourceKinds,
        freshness: down.includes('feed') ? 'stale' : 'fresh',
        availability: healthy ? 'available' : 'partial',
        statusText,
        requiresApiKey: operation.requiresApiKey,
        metered: operation.metered,
        sourceCurrentOnly: true,
      }),
    });
  };
}
