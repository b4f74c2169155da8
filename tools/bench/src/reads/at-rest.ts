import { setTimeout as delay } from 'node:timers/promises';
import { type Caller, openCaller, percentile, withCloser } from '@market-state/testing';
import type { ReadRoute } from './read-routes';
import type { RequestHeaders } from './steady-load';

const ROUNDS = 15;
const PAUSE_MS = 20;
const GOAL_MS = 10;
const OWN_GOALS_MS: readonly (readonly [end: string, goalMs: number])[] = [
  ['/usage/estimate', 2],
  ['/verify', 300],
];

/**
 * Median of each route when nothing else is called: one call at a time, in rounds over all routes, from sending to the
 * last byte. The first round is not counted.
 */
export async function reportAtRest(
  url: string,
  routes: readonly ReadRoute[],
  headers: readonly RequestHeaders[],
  say: (line: string) => void,
): Promise<void> {
  const times = new Map(routes.map((route): [ReadRoute, number[]] => [route, []]));
  await withCloser(async (closer) => {
    const call = openCaller(closer, 1);
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [route, own] of times) {
        const ms = await timeOf(call, url + route.address, headers[round % headers.length] ?? {});
        if (round > 0) own.push(ms);
      }
    }
  });
  const medians = [...times]
    .map(([{ path }, own]) => ({
      path,
      ms: percentile(own, 0.5),
      goalMs: OWN_GOALS_MS.find(([end]) => path.endsWith(end))?.[1] ?? GOAL_MS,
    }))
    .sort((a, b) => b.ms - a.ms);
  const slow = medians.filter(({ ms, goalMs }) => ms > goalMs);
  say(`at rest, one call at a time: ${slow.length} of ${medians.length} routes have a median above their goal`);
  for (const { path, ms, goalMs } of medians) say(`  ${path}: ${ms.toFixed(1)} ms (goal ${goalMs} ms)`);
}

/** Public routes are limited per address: a refused call is made again. */
async function timeOf(call: Caller, url: string, headers: RequestHeaders): Promise<number> {
  for (;;) {
    await delay(PAUSE_MS);
    const { status, headers: answered, sentMs, endMs } = await call(url, { headers });
    if (status === 200) return endMs - sentMs;
    if (status !== 429) throw new Error(`${url} answers ${status}`);
    await delay(Number(answered['retry-after'] ?? 1) * 1_000);
  }
}
