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

/** The names of the universe of a `metaAndAssetCtxs` answer. @throws VenueError `bad_answer` */
export function coinsOf(answer: string): readonly string[] {
  const parsed: unknown = JSON.parse(answer);
  const meta: unknown = Array.isArray(parsed) ? parsed[0] : undefined;
  const universe: unknown = isObject(meta) ? meta['universe'] : undefined;
  if (!Array.isArray(universe)) throw new VenueError('bad_answer', 'the venue did not say which coins it has');
  return (universe as unknown[]).flatMap((asset) =>
    isObject(asset) && typeof asset['name'] === 'string' && asset['isDelisted'] !== true ? [asset['name']] : [],
  );
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
