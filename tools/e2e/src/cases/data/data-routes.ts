const data = '/api/public/data';

export interface DataRoute {
  /** Path in the OpenAPI document. */
  readonly path: string;
  readonly takesSymbol: boolean;
  readonly isStream: boolean;
  /** A query with every possible fault, and their places: `query.<name>`. */
  readonly wrong: string;
  readonly faults: readonly string[];
}

function route(path: string, wrong: Readonly<Record<string, string>>, kind: 'answer' | 'stream' = 'answer'): DataRoute {
  const query = { ...wrong, colour: 'red' };
  return {
    path,
    takesSymbol: 'symbol' in wrong,
    isStream: kind === 'stream',
    wrong: new URLSearchParams(query).toString(),
    faults: Object.keys(query)
      .map((name) => `query.${name}`)
      .sort(),
  };
}

const symbol = 'btc';
const window = { start: 'yesterday', end: 'now', as_of: '-', channels: 'book,trade' };

/** Every data-plane route except exports, plus the related routes of gaps and packets. */
export const dataRoutes: readonly DataRoute[] = [
  route(`${data}/book/l2/latest`, { symbol, depth: '1001' }),
  route(`${data}/trades/latest`, { symbol, limit: '0' }),
  route(`${data}/candles`, { symbol, tf: '7m', from: 'yesterday', to: 'now', as_of: '-' }),
  route(`${data}/context/active-asset`, { symbol }),
  route(`${data}/liquidations/context`, { symbol, window_seconds: '3601' }),
  route(`${data}/replay/window`, { symbol, ...window }),
  route(`${data}/gaps`, { symbol, from: 'yesterday', to: 'now', as_of: '-', limit: '1001' }),
  route(`${data}/status/freshness`, { symbol }),
  route(`${data}/status/rights`, {}),
  route(`${data}/health`, {}),
  route(`${data}/catalog`, { as_of: '-' }),
  route(`${data}/manifest`, {}),
  route(`${data}/stream/manifest`, {}),
  route(`${data}/connectors/{connector_id}/query-spec`, { symbol, depth: '0', limit: 'ten', tf: '1w', from: 'yesterday', to: 'now' }),
  route(`${data}/events/{event_id}/join-spec`, { symbol }),
  route(`${data}/packet-join/recipe`, { symbol, include_trades: 'maybe', include_candles: '1', depth: '0', limit: '1001' }),
  route(`${data}/stream`, { symbol, channels: 'tape' }, 'stream'),
  route(`${data}/stream/replay`, { symbol, ...window, speed: '101' }, 'stream'),
  route('/api/public/market-state/stream', { symbol }, 'stream'),
];

export function addressOf({ path }: DataRoute, eventId: string): string {
  return path.replace('{connector_id}', 'rest').replace('{event_id}', eventId);
}
