import type { status } from '@market-state/contracts';
import { FIGURES_KEPT_MS, INCIDENT_KINDS, type IncidentsWanted, type Incident } from '@market-state/service-figures';

/** An incident in the words of the contract. */
export function toProtoIncident({ closedMs, symbols, gapIds, ...incident }: Incident): status.Incident {
  return { ...incident, closedMs: closedMs ?? 0, symbols: [...symbols], gapIds: [...gapIds] };
}

/** What is wrong with a field of a request. */
interface FilterFault {
  readonly field: string;
  readonly message: string;
  readonly type: string;
}

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
const INCIDENT_ID = /^inc_[0-9a-hjkmnp-tv-z]{26}$/;

/** One more than a page of an answer holds, so that whoever merges pages knows whether there is a next one. */
const PAGE_SIZE_MAX = 1_001;

/** Which incidents a filter asks for, and every fault of it. A filter with faults is not to be answered. */
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
    [toMs > fromMs, 'to_ms', 'must lie after from_ms', 'out_of_range'],
    [symbol === '' || SYMBOL.test(symbol), 'symbol', 'must be empty or look like BTCUSD-PERP', 'malformed'],
    [
      kind === '' || (INCIDENT_KINDS as readonly string[]).includes(kind),
      'kind',
      `must be of ${INCIDENT_KINDS.join(', ')}`,
      'unknown_value',
    ],
    [pageSize >= 1 && pageSize <= PAGE_SIZE_MAX, 'page_size', `must be between 1 and ${PAGE_SIZE_MAX}`, 'out_of_range'],
    [after === undefined || INCIDENT_ID.test(after.incidentId), 'after.incident_id', 'must be inc_ and 26 characters', 'malformed'],
  ];
  return { wanted, faults: rules.flatMap(([isGood, field, message, type]) => (isGood ? [] : [{ field, message, type }])) };
}

/** A span that begins 90 days before its first page is asked for may be paged for so long, milliseconds. */
const PAGING_MS = 3_600_000;
