import type { System } from '../../src/index';

/** An answer of the public API, read whole. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  /** The body as JSON; undefined when it is not. */
  readonly body: Readonly<Record<string, unknown>>;
}

export interface Api {
  get(path: string, headers?: Record<string, string>): Promise<Answer>;
  /** As get, with the key. */
  getWithKey(path: string): Promise<Answer>;
  send(method: string, path: string, options?: RequestInit): Promise<Answer>;
}

const timeoutMs = 10_000;
export const keyHeader = 'x-market-state-api-key';

/**
 * Whether the server had closed the connection that was kept for reuse: it does so after 5 s, which pass unnoticed while a test computes.
 */
function isClosedWhileIdle({ cause }: Error): boolean {
  return (cause as { readonly code?: unknown } | undefined)?.code === 'UND_ERR_SOCKET';
}

export function createApi(system: System, key: string): Api {
  async function send(method: string, path: string, options: RequestInit = {}): Promise<Answer> {
    const ask = (): Promise<Response> => fetch(`${system.url}${path}`, { method, signal: AbortSignal.timeout(timeoutMs), ...options });
    const response = await ask().catch((error: Error) => (method === 'GET' && isClosedWhileIdle(error) ? ask() : Promise.reject(error)));
    const text = await response.text();
    let body: Record<string, unknown> = {};
    if (/json/.test(response.headers.get('content-type') ?? '') && text !== '') body = JSON.parse(text) as Record<string, unknown>;
    return { status: response.status, headers: response.headers, text, body };
  }
  return {
    send,
    get: (path, headers = {}) => send('GET', path, { headers }),
    getWithKey: (path) => send('GET', path, { headers: { [keyHeader]: key } }),
  };
}
