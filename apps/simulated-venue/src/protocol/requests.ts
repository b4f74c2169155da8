import { z } from 'zod';
import { COIN, type Stream } from './frames';

const coin = z.literal(COIN);

const subscription = z.discriminatedUnion('type', [
  z.object({ type: z.literal('l2Book'), coin, fast: z.boolean().optional() }),
  z.object({ type: z.enum(['bbo', 'trades', 'activeAssetCtx', 'simLiquidations']), coin }),
  z.object({ type: z.literal('candle'), coin, interval: z.literal('1m') }),
]);

const request = z.discriminatedUnion('method', [
  z.object({ method: z.literal('ping') }),
  z.object({ method: z.enum(['subscribe', 'unsubscribe']), subscription: z.unknown() }),
]);

type ClientRequest =
  | { readonly type: 'ping' }
  /** `echo`: the client's own text, for the response. */
  | { readonly type: 'subscribe' | 'unsubscribe'; readonly stream: Stream; readonly echo: unknown }
  /** `sentence`: the venue's error message. */
  | { readonly type: 'refused'; readonly sentence: string };

/** Never throws. */
export function readRequest(text: string): ClientRequest {
  const parsed = request.safeParse(parseJson(text));
  if (!parsed.success) return { type: 'refused', sentence: `Error parsing JSON into valid websocket request: ${text.slice(0, 200)}` };
  if (parsed.data.method === 'ping') return { type: 'ping' };
  const { method, subscription: echo } = parsed.data;
  const subscribed = subscription.safeParse(echo);
  if (!subscribed.success) return { type: 'refused', sentence: `Invalid subscription ${JSON.stringify(echo)?.slice(0, 200)}` };
  const stream = subscribed.data.type === 'l2Book' && subscribed.data.fast === true ? 'l2BookFast' : subscribed.data.type;
  return { type: method, stream, echo };
}

const coinRequest = z.object({ type: z.enum(['l2Book', 'recentTrades']), coin: z.string() });
const infoRequest = z.discriminatedUnion('type', [
  z.object({ type: z.enum(['meta', 'metaAndAssetCtxs', 'allMids']) }),
  coinRequest,
  z.object({ type: z.literal('fundingHistory'), coin: z.string(), startTime: z.int().min(0), endTime: z.int().min(0).optional() }),
  z.object({
    type: z.literal('candleSnapshot'),
    req: z.object({ coin: z.string(), interval: z.string(), startTime: z.int().min(0), endTime: z.int().min(0).optional() }),
  }),
]);

export type InfoRequest = z.output<typeof infoRequest>;

/** Undefined if unsupported. */
export function readInfoRequest(body: unknown): InfoRequest | undefined {
  const parsed = infoRequest.safeParse(body);
  return parsed.success ? parsed.data : undefined;
}

/** Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
