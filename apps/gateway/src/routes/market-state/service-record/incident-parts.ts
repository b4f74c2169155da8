import type { status } from '@market-state/contracts';
import { isServiceError } from '@market-state/errors';
import type { IncidentKind } from '@market-state/service-figures';
import type { Upstreams } from '../../../clients/upstreams';

/** The services that tell incidents, and of which kinds. */
const KINDS = {
  market_data: ['feed_silent', 'gap', 'audit_differs'],
  packets: ['packets_late'],
  reads: ['reads_failing'],
} as const satisfies Readonly<Record<string, readonly IncidentKind[]>>;

export type IncidentPart = keyof typeof KINDS;

/** Incidents of every part that answered, and those parts that did not, each with the kinds that may be missing. */
export interface FoundIncidents {
  readonly incidents: readonly status.Incident[];
  readonly incomplete: readonly { readonly part: IncidentPart; readonly kinds: IncidentKind[] }[];
}

/** Asks every part that has incidents of the kind. Throws a ServiceError for a request that a part refuses. */
export async function findIncidents(
  { marketData, packets, readFigures }: Pick<Upstreams, 'marketData' | 'packets' | 'readFigures'>,
  filter: status.IncidentFilter,
): Promise<FoundIncidents> {
  const asked = {
    market_data: () => marketData.call.listIncidents({ filter }),
    packets: () => packets.call.listIncidents({ filter }),
    reads: () => readFigures.call.listIncidents({ filter }),
  };
  const parts = (Object.keys(KINDS) as IncidentPart[])
    .map((part) => ({ part, kinds: KINDS[part].filter((kind) => filter.kind === '' || filter.kind === kind) }))
    .filter(({ kinds }) => kinds.length > 0);
  const found = await Promise.all(parts.map(async (each) => ({ ...each, incidents: await orAway(asked[each.part]()) })));
  return {
    incidents: found.flatMap(({ incidents }) => incidents ?? []),
    incomplete: found.flatMap(({ part, kinds, incidents }) => (incidents === null ? [{ part, kinds }] : [])),
  };
}

/** Null where the part does not answer. */
async function orAway(answer: Promise<{ readonly incidents: status.Incident[] }>): Promise<status.Incident[] | null> {
  try {
    return (await answer).incidents;
  } catch (error) {
    if (isServiceError(error) && error.code !== 'INVALID_ARGUMENT' && error.code !== 'NOT_FOUND') return null;
    throw error;
  }
}
