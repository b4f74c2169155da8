import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** An answer read whole; times are of `performance.now()`. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  readonly sentMs: number;
  readonly endMs: number;
}

export interface Sent {
  readonly key: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** The loopback address to come from. */
  readonly from?: string;
}

/** Calls over connections that are kept. */
export interface Caller {
  /** @throws Error when no whole answer came; `wasSent` of the error tells whether a connection was there. */
  call(url: string, sent: Sent): Promise<Answer>;
  close(): void;
}

/** No whole answer came. */
export class NoAnswer extends Error {
  constructor(
    cause: Error,
    /** False: nobody listened, so nothing can have been done. */
    readonly wasSent: boolean,
  ) {
    super(`no answer: ${cause.message}`, { cause });
  }
}

/**
 * For `catch`: null where no whole answer came, as when a connection was dropped as idle while a call was sent on it; else throws again.
 */
export function ifNoAnswer(error: unknown): null {
  if (!(error instanceof NoAnswer)) throw error;
  return null;
}

const TIMEOUT_MS = 30_000;

export function createCaller(connectionsMax: number): Caller {
  // Node heeds the `Keep-Alive` of an answer, and so closes an idle connection before the gateway does, only where the agent has a timeout
  // of its own.
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, timeout: TIMEOUT_MS });
  return {
    call: (url, { key, method = 'GET', headers = {}, body, from }) =>
      new Promise((resolve, reject) => {
        const sentMs = performance.now();
        const json = body === undefined ? {} : { 'content-type': 'application/json' };
        const req = request(url, { agent, method, localAddress: from, headers: { 'x-market-state-api-key': key, ...json, ...headers } });
        const fail = (error: Error & { code?: string }): void => reject(new NoAnswer(error, error.code !== 'ECONNREFUSED'));
        req.setTimeout(TIMEOUT_MS, () => req.destroy(new Error(`nothing came for ${TIMEOUT_MS} ms`)));
        req.on('error', fail);
        req.on('response', (res) => {
          const pieces: Buffer[] = [];
          res.on('data', (piece: Buffer) => pieces.push(piece));
          res.on('error', fail);
          res.on('end', () =>
            resolve({
              status: res.statusCode ?? 0,
              headers: res.headers,
              text: Buffer.concat(pieces).toString('utf8'),
              sentMs,
              endMs: performance.now(),
            }),
          );
        });
        req.end(body === undefined ? undefined : JSON.stringify(body));
      }),
    close: () => agent.destroy(),
  };
}
