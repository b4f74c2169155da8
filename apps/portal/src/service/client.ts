import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { queued } from './call-queue';
import { noteCall } from './meter';

/** Authenticates with the browser's session, not a key. */
export const service = new MarketState({ baseUrl: location.origin, session: true, fetch: queued((...request) => fetch(...request)) });

/** Adds the cost of the call to the status bar. */
export async function read<K extends OperationId>(call: Promise<Answer<K>>): Promise<Answer<K>['data']> {
  const { data, call: facts } = await call;
  noteCall(facts);
  return data;
}
