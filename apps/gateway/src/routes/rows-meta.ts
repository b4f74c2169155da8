import { buildMeta, type FreshnessState, type SourceKindName } from '../http/meta';
import { originOf } from '../http/origin';
import type { Operation } from '../openapi/operations';

/** What an answer has of the rows asked for: all there are, fewer than there should be, or none because none are kept. */
export type RowsHeld = 'all' | 'fewer' | 'none';

const AVAILABILITY = { all: 'available', fewer: 'partial', none: 'unavailable' } as const;

const FRESHNESS_TEXTS: Readonly<Record<FreshnessState, string>> = {
  fresh: 'within their staleness limit',
  stale: 'past their staleness limit',
  missing: 'none were seen yet',
};

/** `meta` of an answer with rows of one source. `stored`: it holds rows from before the newest state. */
export function rowsMeta(operation: Operation, sourceKind: SourceKindName, freshness: FreshnessState, stored: boolean, held: RowsHeld = 'all') {
  const noneKept = held === 'none' && freshness !== 'missing' ? ' Nothing is kept of this window.' : '';
  return buildMeta({
    sourceKinds: [sourceKind],
    freshness,
    availability: freshness === 'missing' ? 'unavailable' : AVAILABILITY[held],
    statusText: `Rows of ${originOf([sourceKind])}; ${FRESHNESS_TEXTS[freshness]}.${noneKept}`,
    requiresApiKey: operation.requiresApiKey,
    metered: operation.metered,
    sourceCurrentOnly: !stored,
  });
}
