import { STATUS_CODES } from 'node:http';
import type { MarketState } from '../src';
import { clientWith, type Sent } from './fake-fetch';

/** Reply in the shared cases. */
export type SharedReply =
  | 'cut'
  | 'silent'
  | {
      readonly status?: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body?: unknown;
      readonly text?: string;
      readonly events?: readonly (readonly [string, string, unknown])[];
      readonly then?: 'close' | 'cut' | 'silence';
    };

export interface SharedClient {
  readonly client?: object;
  readonly budget?: number;
  readonly replies: readonly SharedReply[];
}

/** Request in the shared cases. Missing headers and bodies are null. */
interface SharedSent {
  readonly method: string;
  readonly path: string;
  readonly query: readonly (readonly [string, string])[];
  readonly headers: Readonly<Record<string, string | null>>;
  readonly body: unknown;
}

const HEADERS = [
  'x-market-state-api-key',
  'x-max-credits',
  'x-request-id',
  'idempotency-key',
  'content-type',
  'if-none-match',
  'last-event-id',
];

export function clientOf({ client = {}, budget, replies }: SharedClient): { readonly ms: MarketState; readonly sent: SharedSent[] } {
  const sent: SharedSent[] = [];
  const given = replies.map(replyOf);
  const reply = (request: Sent, signal: AbortSignal): Promise<Response> => {
    const next = given[Math.min(sent.length, given.length - 1)];
    sent.push(sentOf(request));
    return next === undefined ? Promise.reject(new TypeError('no reply')) : next(signal);
  };
  const { ms } = clientWith([reply], client);
  return { ms: budget === undefined ? ms : ms.withBudget(budget), sent };
}

function sentOf({ method, url, headers, body }: Sent): SharedSent {
  const shown = Object.fromEntries(HEADERS.map((name) => [name, headers.get(name)]));
  return { method, path: url.pathname, query: [...url.searchParams], headers: shown, body: body ?? null };
}

function replyOf(reply: SharedReply): (signal: AbortSignal) => Promise<Response> {
  if (reply === 'cut') return () => Promise.reject(new TypeError('fetch failed'));
  if (reply === 'silent')
    return (signal) => new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { status = 200, headers = {}, body, text, events, then = 'close' } = reply;
  const pieces = events?.map(eventText) ?? [text ?? (body === undefined ? '' : JSON.stringify(body))];
  return (signal) => {
    const left = pieces.map((piece) => new TextEncoder().encode(piece));
    const stream = new ReadableStream<Uint8Array>({
      start: (controller) => signal.addEventListener('abort', () => controller.error(signal.reason)),
      pull(controller) {
        const next = left.shift();
        if (next !== undefined) return controller.enqueue(next);
        if (then === 'close') controller.close();
        if (then === 'cut') controller.error(new TypeError('terminated'));
        return undefined;
      },
    });
    return Promise.resolve(new Response(status === 304 ? null : stream, { status, headers, statusText: STATUS_CODES[status] ?? '' }));
  };
}

function eventText([event, id, data]: readonly [string, string, unknown]): string {
  return `${id === '' ? '' : `id: ${id}\n`}event: ${event}\ndata: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;
}
