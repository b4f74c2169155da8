import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { queued } from './call-queue';
import { noteCall } from './meter';

let sample: typeof fetch | null = null;

/** Answers every call from a sample instead of the service; null ends it. */
export function answerFrom(fetchSample: typeof fetch | null): void {
  sample = fetchSample;
}

const send = queued((...request) => fetch(...request));

/** Authenticates with the browser's session, not a key. */
export const service = new MarketState({
  baseUrl: location.origin,
  session: true,
  fetch: (target, init) => (sample !== null && init?.method !== 'POST' ? sample : send)(target, init),
});

/** Adds the cost of the call to the status bar. */
export async function read<K extends OperationId>(call: Promise<Answer<K>>): Promise<Answer<K>['data']> {
  const { data, call: facts } = await call;
  noteCall(facts);
  return data;
}
