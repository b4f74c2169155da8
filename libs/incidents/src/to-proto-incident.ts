import type { status } from '@market-state/contracts';
import type { Incident } from '@market-state/service-figures';

/** An incident in the words of the contract. */
export function toProtoIncident({ closedMs, symbols, gapIds, ...incident }: Incident): status.Incident {
  return { ...incident, closedMs: closedMs ?? 0, symbols: [...symbols], gapIds: [...gapIds] };
}
