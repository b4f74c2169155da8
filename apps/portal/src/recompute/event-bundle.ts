import type { CallFacts } from '@market-state/client';
import { costOf } from '@market-state/pricing';
import { service } from '../service/client';
import { noteCall } from '../service/meter';

const ENTRIES_MAX = 50_000;

export const BUNDLE_CREDITS_MAX = costOf('market_data_replay_window', ENTRIES_MAX);

export async function loadEventBundle(
  eventId: string,
  signal: AbortSignal,
): Promise<{ readonly bundle: ArrayBuffer; readonly call: Pick<CallFacts, 'charged'> }> {
  const { response, call } = await service.events.bundle({ event_id: eventId }, { signal, maxCredits: BUNDLE_CREDITS_MAX });
  noteCall(call);
  return { bundle: await response.arrayBuffer(), call };
}
