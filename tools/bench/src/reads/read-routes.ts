import { timeLimit } from '@market-state/lifecycle';
import { WINDOW_MS } from '@market-state/market-data';
const BASE = '/api/public/market-state';
const HALF_AN_HOUR_MS = 1_800_000;
/** A route, an address at which it answers, and how often it is asked beside the others. */
export interface ReadRoute {
  /** As the OpenAPI document spells it. */
  readonly path: string;
  readonly address: string;
  readonly weight: number;
  /** Open without a key, and limited for each address. */
  readonly isPublic: boolean;
}

/**
 * How often a route is asked, first match: what dashboards and machines poll; facts and views of now; what is looked up in the past; and
 * all else, which a person opens, as the portal's own pages are. Making a packet again takes most of a second of both cores. Public pages
 * are limited for each address.
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

/** Pages as most callers ask for them, by the end of a path; without, these give up to thousands of rows. */
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
 * Every GET route that the running system serves with one JSON body, with addresses about an event of half an hour ago. The documents
 * themselves, the account's own pages and export jobs are left out, which hold no market data, and what a tenant makes first: a watchlist,
 * a saved search, an endpoint.
 * @throws Error when the system does not answer
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

/** The routes in an order in which each comes as often as it weighs, spread evenly (smooth weighted round robin). */
export function inTurns(routes: readonly ReadRoute[]): readonly ReadRoute[] {
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
