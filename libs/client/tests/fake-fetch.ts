import type { MarketStateOptions } from '../src';
import { MarketState } from '../src';

export interface Sent {
  readonly method: string;
  readonly url: URL;
  readonly headers: Headers;
  readonly body: unknown;
}

type Reply = Response | Error | ((sent: Sent, signal: AbortSignal) => Response | Promise<Response>);

/** Client that receives these replies in order, repeating the last, and the requests it sent. */
export function clientWith(replies: readonly Reply[], options: Partial<MarketStateOptions> = {}): { ms: MarketState; sent: Sent[] } {
  const sent: Sent[] = [];
  const fake = async (url: string, init: RequestInit): Promise<Response> => {
    const body = typeof init.body === 'string' ? (JSON.parse(init.body) as unknown) : undefined;
    const request: Sent = { method: init.method ?? 'GET', url: new URL(url), headers: new Headers(init.headers), body };
    sent.push(request);
    const reply = replies[Math.min(sent.length, replies.length) - 1] ?? json({});
    if (reply instanceof Error) throw reply;
    return reply instanceof Response ? reply.clone() : reply(request, init.signal as AbortSignal);
  };
  const ms = new MarketState({
    baseUrl: 'http://ms.test/',
    apiKey: 'msk_live_x',
    random: () => 0,
    fetch: fake as typeof fetch,
    ...options,
  });
  return { ms, sent };
}

export function json(body: unknown, status = 200, headers: Readonly<Record<string, string>> = {}): Response {
  return new Response(JSON.stringify(body), { status, headers: { 'content-type': 'application/json', ...headers } });
}

export function problem(status: number, code = 'any', headers: Readonly<Record<string, string>> = {}, further: object = {}): Response {
  return json({ status, code, title: 'Title', detail: 'A sentence.', request_id: 'req_1', docs: '/docs', ...further }, status, headers);
}
