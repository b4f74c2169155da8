import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Closer } from '@market-state/lifecycle';

/** An answer read whole; times are of `performance.now()`. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** Size of the body. */
  readonly bytes: number;
  /** The body; decoded each time it is read. */
  readonly text: string;
  readonly sentMs: number;
  readonly endMs: number;
}

export interface Call {
  /** Key of a tenant. */
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as JSON. */
  readonly body?: unknown;
  /** Raw JSON text, sent unchecked instead of `body`. */
  readonly text?: string;
  /** The loopback address to come from. */
  readonly from?: string;
  /** By default 30,000. */
  readonly timeoutMs?: number;
}

/** Calls over connections that are kept. @throws NoAnswer */
export type Caller = (url: string, call: Call) => Promise<Answer>;

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

export function openCaller(closer: Closer, connectionsMax: number): Caller {
  // Node heeds the `Keep-Alive` of an answer, and so closes an idle connection before the gateway does, only where the agent has a timeout
  // of its own.
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, timeout: TIMEOUT_MS });
  closer.add('caller', () => agent.destroy());
  return (url, call) => exchange(url, call, agent);
}

/** One call over a connection of its own; null when no whole answer came. */
export function callOnce(url: string, call: Call = {}): Promise<Answer | null> {
  return exchange(url, call, false).catch(ifNoAnswer);
}

function exchange(
  url: string,
  {
    key,
    method = 'GET',
    headers = {},
    body,
    text = body === undefined ? undefined : JSON.stringify(body),
    from,
    timeoutMs = TIMEOUT_MS,
  }: Call,
  agent: Agent | false,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const sentMs = performance.now();
    const known = key === undefined ? {} : { 'x-market-state-api-key': key };
    const json = text === undefined ? {} : { 'content-type': 'application/json' };
    const req = request(url, { agent, method, localAddress: from, headers: { ...known, ...json, ...headers } });
    const fail = (error: Error & { code?: string }): void => reject(new NoAnswer(error, error.code !== 'ECONNREFUSED'));
    const timer = setTimeout(() => req.destroy(new Error(`no answer in ${timeoutMs} ms`)), timeoutMs);
    req.on('close', () => clearTimeout(timer));
    req.on('error', fail);
    req.on('response', (res) => {
      const pieces: Buffer[] = [];
      res.on('data', (piece: Buffer) => pieces.push(piece));
      res.on('error', fail);
      res.on('end', () =>
        resolve({
          status: res.statusCode ?? 0,
          headers: res.headers,
          bytes: pieces.reduce((sum, { length }) => sum + length, 0),
          get text() {
            return Buffer.concat(pieces).toString('utf8');
          },
          sentMs,
          endMs: performance.now(),
        }),
      );
    });
    req.end(text);
  });
}

/** How often each status came; no answer is 0. */
export function statusesOf(answers: readonly (Pick<Answer, 'status'> | null)[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const answer of answers) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}

/** The longest that an answer took, milliseconds; 0 of none. */
export function lastMsOf(answers: readonly (Answer | null)[]): number {
  return Math.max(0, ...answers.map((answer) => (answer === null ? 0 : answer.endMs - answer.sentMs)));
}

/** The error code of an answer; empty where it has none. */
export function errorCodeOf(answer: Pick<Answer, 'text'> | null): string {
  return /"code":"([a-z_]+)"/.exec(answer?.text ?? '')?.[1] ?? '';
}
