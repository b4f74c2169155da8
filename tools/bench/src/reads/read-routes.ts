import { timeLimit } from '@market-state/lifecycle';
import { WINDOW_MS } from '@market-state/market-data';
const BASE = '/api/public/market-state';
const HALF_AN_HOUR_MS = 1_800_000;
/** A route, an address at which it answers, and its share of the requests. */
export interface ReadRoute {
  /** Path in the OpenAPI document. */
  readonly path: string;
  readonly address: string;
  readonly weight: number;
  readonly isPublic: boolean;
}

/**
 * First match wins: polled by dashboards; current facts; lookups in the past; the rest, opened by people. Recomputing a
 * packet takes most of a second of both cores. Public pages are limited per address.
 */
const WEIGHTS: readonly (readonly [RegExp, number])[] = [
  [/\/workspace\//, 6],
  [/\/demo\/(?!packet-construction|proof-browser)|well-known/, 1],
  [/\/verify$/, 1],
  [/market-state\/latest$/, 600],
  [/\/data\/(book|trades)\//, 300],
  [/\/data\/(candles|context|liquidations|gaps|status)/, 90],
  [/\/latest$|buyer-summary$|feature-quality$/, 90],
  [/\/(replay|history|search|evidence|stability|window)$/, 18],
  [/./, 6],
];

/** Typical page parameters by path suffix; without them these routes return up to thousands of rows. */
function pages(): readonly (readonly [end: string, query: string])[] {
  const fromMs = Date.now() - HALF_AN_HOUR_MS;
  return [
    ['/usage/estimate', `?route=${encodeURIComponent(`${BASE}/latest`)}`],
    ['/data/replay/window', `?start=${fromMs}&end=${fromMs + WINDOW_MS}`],
    ['/replay', '?limit=10'],
    ['/history', '?limit=60'],
    ['/events/search', '?limit=10'],
  ];
}

interface OperationObject {
  readonly 'x-access': { readonly requires_api_key: boolean };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/**
 * Every GET route with one JSON body and market data. Excludes resources that a tenant creates first.
 * @throws Error if the system does not answer
 */
export async function readRoutes(url: string, key: string): Promise<readonly ReadRoute[]> {
  const { paths } = (await json(`${url}/openapi.json`, key)) as { paths: Record<string, Record<string, OperationObject>> };
  const { packets } = (await json(`${url}${BASE}/replay?replay_window_seconds=1800&limit=1`, key)) as {
    packets: readonly { event_id: string }[];
  };
  const eventId = packets[0]?.event_id ?? '';
  return Object.entries(paths)
    .filter(
      ([path, { get }]) =>
        'application/json' in (get?.responses['200']?.content ?? {}) &&
        !/openapi\.json$|\/account\/|\/export\/|^\/(livez|readyz)$/.test(path),
    )
    .map(([path, { get }]) => ({
      path,
      address: addressOf(path, eventId),
      weight: WEIGHTS.find(([pattern]) => pattern.test(path))?.[1] ?? 0,
      isPublic: get?.['x-access'].requires_api_key === false,
    }))
    .filter(({ address }) => !address.includes('{'));
}

function addressOf(path: string, eventId: string): string {
  const query = pages().find(([end]) => path.endsWith(end))?.[1] ?? '';
  return path.replace('{event_id}', eventId).replace('{connector_id}', 'rest') + query;
}

/** Routes ordered by weight and evenly spread (smooth weighted round robin). */
export function inSlices(routes: readonly ReadRoute[]): readonly ReadRoute[] {
  const total = routes.reduce((sum, { weight }) => sum + weight, 0);
  const credit = routes.map(() => 0);
  return Array.from({ length: total }, () => {
    let next = 0;
    for (const [index, { weight }] of routes.entries()) {
      credit[index] = (credit[index] ?? 0) + weight;
      if ((credit[index] ?? 0) > (credit[next] ?? 0)) next = index;
    }
    credit[next] = (credit[next] ?? 0) - total;
    return routes[next] as ReadRoute;
  });
}

async function json(address: string, key: string): Promise<unknown> {
  const response = await fetch(address, { headers: { 'x-market-state-api-key': key }, signal: timeLimit(30_000) });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.json();
}
