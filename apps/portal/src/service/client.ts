import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { noteCall } from './meter';

/** The one way to the service: this browser's session, no key. */
export const service = new MarketState({ baseUrl: location.origin, session: true });

/** What a call answers; what it cost is added to the status bar. */
export async function read<K extends OperationId>(call: Promise<Answer<K>>): Promise<Answer<K>['data']> {
  const { data, call: facts } = await call;
  noteCall(facts);
  return data;
}
