const BASE = '/api/public/market-state';

/** A route and an address at which it answers. */
export interface ReadRoute {
  /** As the OpenAPI document spells it. */
  readonly path: string;
  readonly address: string;
}

interface OperationObject {
  readonly 'x-state': string;
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, unknown>> }>>;
}

/**
 * Every GET route that the running system serves with one JSON body, with addresses about an event of half an hour ago. The documents
 * themselves and the account's own pages are left out: they hold no market data.
 * @throws Error when the system does not answer
 */
export async function readRoutes(url: string, key: string): Promise<readonly ReadRoute[]> {
  const { paths } = (await json(`${url}/openapi.json`, key)) as { paths: Record<string, Record<string, OperationObject>> };
  const { packets } = (await json(`${url}${BASE}/replay?replay_window_seconds=1800&limit=1`, key)) as { packets: readonly { event_id: string }[] };
  const eventId = packets[0]?.event_id ?? '';
  return Object.entries(paths)
    .filter(([path, { get }]) => get?.['x-state'] === 'live' && 'application/json' in (get.responses['200']?.content ?? {}) && !/openapi\.json$|\/account\/|^\/(livez|readyz)$/.test(path))
    .map(([path]) => ({ path, address: addressOf(path, eventId) }));
}

function addressOf(path: string, eventId: string): string {
  const filled = path.replace('{event_id}', eventId).replace('{connector_id}', 'rest');
  return path === `${BASE}/usage/estimate` ? `${filled}?route=${encodeURIComponent(`${BASE}/latest`)}` : filled;
}

async function json(address: string, key: string): Promise<unknown> {
  const response = await fetch(address, { headers: { 'x-market-state-api-key': key }, signal: AbortSignal.timeout(30_000) });
  if (!response.ok) throw new Error(`${address} answers ${response.status}`);
  return response.json();
}
