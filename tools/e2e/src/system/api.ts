import { setTimeout as delay } from 'node:timers/promises';
import { timeLimit } from '@market-state/lifecycle';
import type { System } from '@market-state/testing';

export const ACCOUNT = '/api/public/market-state/account';

export type As = Readonly<Record<string, string>>;

export interface AccountApi {
  call(method: string, path: string, body?: unknown, headers?: As): Promise<Answer>;
  get(path: string, headers?: As): Promise<Answer>;
}

/** The session cookie as a browser returns it. @throws Error with the answer if it sets none */
export function cookieOf({ status, headers, text }: Answer): As {
  const cookie = headers.getSetCookie()[0]?.split(';')[0];
  if (cookie === undefined) throw new Error(`The answer sets no cookie: ${status} ${text}`);
  return { cookie };
}

export function withKey(key: string): As {
  return { [keyHeader]: key };
}

export function createAccountApi(system: System): AccountApi {
  const api = createApi(system, '');
  return {
    call: (method, path, body, headers = {}) =>
      api.send(method, path, {
        body: body === undefined ? undefined : JSON.stringify(body),
        headers: { 'content-type': 'application/json', origin: system.url, ...headers },
      }),
    get: (path, headers = {}) => api.get(path, headers),
  };
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** Undefined if the body is not JSON. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  getWithKey(path: string): Promise<Answer>;
  /** Retries like a patient client while rate limited (429) or while a service is busy (503, 504). */
  getPatiently(path: string, headers?: Record<string, string>): Promise<Answer>;
  send(method: string, path: string, options?: RequestInit): Promise<Answer>;
}

const PASSING = [429, 503, 504];
const TRIES_MAX = 6;

/** Recomputing a packet may take long on a busy machine. */
const timeoutMs = 120_000;
export const keyHeader = 'x-market-state-api-key';

/** True if the server closed the kept-alive connection: it does so after 5 s, unnoticed while a test computes. */
function isClosedWhileIdle({ cause }: Error): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === 'UND_ERR_SOCKET';
}

export function createApi(system: Pick<System, 'url'>, key: string): Api {
  async function send(method: string, path: string, options: RequestInit = {}): Promise<Answer> {
    const ask = (): Promise<Response> => fetch(`${system.url}${path}`, { method, signal: timeLimit(timeoutMs), ...options });
    const response = await ask().catch((error: Error) => (method === 'GET' && isClosedWhileIdle(error) ? ask() : Promise.reject(error)));
    const text = await response.text();
    let body: Record<string, unknown> = {};
    if (/json/.test(response.headers.get('content-type') ?? '') && text !== '') body = JSON.parse(text) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, body };
  }
  const get = (path: string, headers: Record<string, string> = {}): Promise<Answer> => send('GET', path, { headers });
  async function getPatiently(path: string, headers?: Record<string, string>): Promise<Answer> {
    for (let tries = 1; ; tries += 1) {
      const answer = await get(path, headers);
      if (tries === TRIES_MAX || !PASSING.includes(answer.status)) return answer;
      await delay(Number(answer.headers.get('retry-after') ?? 1) * 1_000);
    }
  }
  return {
    send,
    get,
    getPatiently,
    getWithKey: (path) => send('GET', path, { headers: { [keyHeader]: key } }),
  };
}
