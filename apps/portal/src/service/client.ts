import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { type Fetch, queued } from './call-queue';
import { noteCall } from './meter';

let sample: Fetch | null = null;

/** Answers every call from a sample instead of the service; null ends it. */
export function answerFrom(fetchSample: Fetch | null): void {
  sample = fetchSample;
}

// eslint-disable-next-line no-restricted-globals -- the calls of the SDK, in a queue
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
