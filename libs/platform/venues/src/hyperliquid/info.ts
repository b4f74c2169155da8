import { restText } from '../rest-text';
import { VenueError } from '../venue-error';

/** A question that the public `info` route answers. Times are milliseconds since the epoch. */
export type InfoRequest =
  | { readonly type: 'meta' | 'metaAndAssetCtxs' }
  | { readonly type: 'l2Book' | 'recentTrades'; readonly coin: string }
  | { readonly type: 'fundingHistory'; readonly coin: string; readonly startTime: number }
  | {
      readonly type: 'candleSnapshot';
      readonly req: { readonly coin: string; readonly interval: string; readonly startTime: number; readonly endTime: number };
    };

/**
 * Asks the `info` route: the answer as received.
 * @throws VenueError as `restText`
 */
export function hyperliquidInfo(restUrl: string, request: InfoRequest, signal?: AbortSignal): Promise<string> {
  return restText({ url: new URL('info', restUrl.endsWith('/') ? restUrl : `${restUrl}/`).href, body: request, signal });
}

/**
 * One sentence for each coin: why it can't be subscribed by a `metaAndAssetCtxs` answer, undefined where it can.
 * @throws VenueError `bad_answer`
 */
export function missingReasons(answer: string): (coin: string) => string | undefined {
  const parsed: unknown = JSON.parse(answer);
  const meta: unknown = Array.isArray(parsed) ? parsed[0] : undefined;
  const universe: unknown = isObject(meta) ? meta['universe'] : undefined;
  if (!Array.isArray(universe)) throw new VenueError('bad_answer', 'the venue did not say which coins it has');
  const assets = new Map((universe as unknown[]).filter(isObject).map((asset) => [asset['name'], asset]));
  return (coin) => {
    const asset = assets.get(coin);
    if (asset === undefined && coin.includes(':'))
      return `${coin} is a builder's perpetual, which is not followed live: recordings of it are labelled with --instrument`;
    if (asset === undefined) return `the venue does not list ${coin}`;
    return asset['isDelisted'] === true ? `the venue has delisted ${coin}` : undefined;
  };
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
