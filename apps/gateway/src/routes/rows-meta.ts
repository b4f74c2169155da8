import { buildMeta, type FreshnessState, type SourceKindName } from '../http/meta';
import type { Operation } from '../openapi/operations';

/** `meta` of an answer with rows of one source. `stored`: it holds rows from before the newest state. */
export function rowsMeta(operation: Operation, sourceKind: SourceKindName, freshness: FreshnessState, stored: boolean, complete = true) {
  const origin = sourceKind === 'recorded' ? 'a re-timed recording' : sourceKind === 'simulated' ? 'a simulated venue' : 'the venue';
  return buildMeta({
    sourceKinds: [sourceKind],
    freshness,
    availability: freshness === 'missing' ? 'unavailable' : complete ? 'available' : 'partial',
    statusText: `Rows of ${origin}; ${freshness === 'fresh' ? 'within their staleness limit' : freshness === 'stale' ? 'past their staleness limit' : 'none were seen yet'}.`,
    requiresApiKey: operation.requiresApiKey,
    metered: operation.metered,
    sourceCurrentOnly: !stored,
  });
}
