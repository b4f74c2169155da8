import type { status } from '@market-state/contracts';
import { MARKET_FORM } from '@market-state/market-data';
import { FIGURES_KEPT_MS, INCIDENT_KINDS, type IncidentsWanted, type Incident } from '@market-state/service-figures';

export function toProtoIncident({ closedMs, symbols, gapIds, ...incident }: Incident): status.Incident {
  return { ...incident, closedMs: closedMs ?? 0, symbols: [...symbols], gapIds: [...gapIds] };
}

interface FilterFault {
  readonly field: string;
  readonly message: string;
  readonly type: string;
}

const INCIDENT_ID = /^inc_[0-9a-hjkmnp-tv-z]{26}$/;

/** One more than a page, so that callers that merge pages can detect a next one. */
const PAGE_SIZE_MAX = 1_001;

/** A filter with faults must be refused. */
export function fromIncidentFilter(
  filter: status.IncidentFilter | undefined,
  nowMs: number,
): { readonly wanted: IncidentsWanted; readonly faults: FilterFault[] } {
  const { fromMs = 0, toMs = 0, symbol = '', kind = '', pageSize = 0, after } = filter ?? {};
  const wanted = {
    ...{ fromMs, toMs, symbol: symbol === '' ? null : symbol, kind: kind === '' ? null : kind },
    ...{ after: after ?? null, size: pageSize },
  };
  const rules: readonly (readonly [isGood: boolean, field: string, message: string, type: string])[] = [
    [fromMs >= nowMs - FIGURES_KEPT_MS - PAGING_MS, 'from_ms', 'must be at most 90 days before now', 'out_of_range'],
    [toMs > fromMs, 'to_ms', 'must be after from_ms', 'out_of_range'],
    [symbol === '' || MARKET_FORM.test(symbol), 'symbol', 'must be empty or look like BTCUSD-PERP', 'malformed'],
    [
      kind === '' || (INCIDENT_KINDS as readonly string[]).includes(kind),
      'kind',
      `must be one of ${INCIDENT_KINDS.join(', ')}`,
      'unknown_value',
    ],
    [pageSize >= 1 && pageSize <= PAGE_SIZE_MAX, 'page_size', `must be between 1 and ${PAGE_SIZE_MAX}`, 'out_of_range'],
    [after === undefined || INCIDENT_ID.test(after.incidentId), 'after.incident_id', 'must be inc_ followed by 26 characters', 'malformed'],
  ];
  return { wanted, faults: rules.flatMap(([isGood, field, message, type]) => (isGood ? [] : [{ field, message, type }])) };
}

/** Extra time to page through a span that starts 90 days ago. */
const PAGING_MS = 3_600_000;
