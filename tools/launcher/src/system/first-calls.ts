import { timeLimit } from '@market-state/lifecycle';
/** Time for one call, milliseconds. */
const CALL_MS_MAX = 10_000;

/** Makes each call once with the key, so that nothing is recommended that was not tried: the status of each, 0 where none came. */
export async function firstCalls(urls: readonly string[], key: string): Promise<number[]> {
  return Promise.all(
    urls.map(async (url) => {
      try {
        const response = await fetch(url, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(CALL_MS_MAX) });
        await response.arrayBuffer();
        return response.status;
      } catch {
        return 0;
      }
    }),
  );
}
