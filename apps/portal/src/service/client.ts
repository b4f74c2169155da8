import { MarketState, type Answer, type OperationId } from '@market-state/client';
import { type Fetch, queued } from './call-queue';
import { noteCall } from './meter';
import { type QueryKey, useQuery, type UseQueryOptions } from '@tanstack/react-query';

let sample: Fetch | null = null;

/** Answers from a sample instead of the service; null ends it. */
export function answerFrom(fetchSample: Fetch | null): void {
  sample = fetchSample;
}

const send = queued((...request) => fetch(...request));

/** Authenticates with the browser's session, not a key. */
const clientOf = (sendBy: Fetch) => new MarketState({ baseUrl: location.origin, session: true, fetch: sendBy });

/** Calls of the shown page. */
export const service = clientOf((...request) => (sample ?? send)(...request));

/** Calls of the frame (session, login, palette, readiness), which no sample answers. */
export const frameService = clientOf(send);

/** Loads a file of the portal's build. */
export async function loadFile(url: string, signal?: AbortSignal): Promise<Response> {
  const response = await fetch(url, signal === undefined ? {} : { signal });
  if (!response.ok) throw new Error(`The sample could not be loaded: ${response.status}.`);
  return response;
}

/** Adds the cost of the call to the status bar. */
export async function read<K extends OperationId>(call: Promise<Answer<K>>): Promise<Answer<K>['data']> {
  const { data, call: facts } = await call;
  noteCall(facts);
  return data;
}

/** The answer of one call, with its cost added to the status bar. */
export function useRead<K extends OperationId>(
  queryKey: QueryKey,
  call: (options: { readonly signal: AbortSignal }) => Promise<Answer<K>>,
  more: Omit<UseQueryOptions<Answer<K>['data']>, 'queryKey' | 'queryFn'> = {},
) {
  return useQuery({ queryKey, queryFn: ({ signal }) => read(call({ signal })), ...more });
}
