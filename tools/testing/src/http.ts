import { Agent, type IncomingHttpHeaders, request } from 'node:http';
import type { Closer } from '@market-state/lifecycle';

/** A complete response; times are of `performance.now()`. */
export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: number;
  readonly text: string;
  readonly sentMs: number;
  readonly endMs: number;
}

export interface Call {
  readonly key?: string;
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
  /** Raw JSON text, sent unchecked instead of `body`. */
  readonly text?: string;
  /** Loopback source address. */
  readonly from?: string;
  /** Default 30,000. */
  readonly timeoutMs?: number;
}

/** Calls over keep-alive connections. @throws NoAnswer */
export type Caller = (url: string, call: Call) => Promise<Answer>;

export class NoAnswer extends Error {
  constructor(
    cause: Error,
    /** False if nothing listened, so the call had no effect. */
    readonly wasSent: boolean,
  ) {
    super(`no answer: ${cause.message}`, { cause });
  }
}

/** For `catch`: null for NoAnswer, such as an idle connection dropped during a call; rethrows other errors. */
export function ifNoAnswer(error: unknown): null {
  if (!(error instanceof NoAnswer)) throw error;
  return null;
}

const TIMEOUT_MS = 30_000;

export function openCaller(closer: Closer, connectionsMax: number): Caller {
  // Node honors an answer's `Keep-Alive`, and so closes an idle connection before the gateway does, only if the agent
  // has a timeout.
  const agent = new Agent({ keepAlive: true, maxSockets: connectionsMax, timeout: TIMEOUT_MS });
  closer.add('caller', () => agent.destroy());
  return (url, call) => exchange(url, call, agent);
}

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

export function statusesOf(answers: readonly (Pick<Answer, 'status'> | null)[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const answer of answers) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}

export function lastMsOf(answers: readonly (Answer | null)[]): number {
  return Math.max(0, ...answers.map((answer) => (answer === null ? 0 : answer.endMs - answer.sentMs)));
}

export function errorCodeOf(answer: Pick<Answer, 'text'> | null): string {
  return /"code":"([a-z_]+)"/.exec(answer?.text ?? '')?.[1] ?? '';
}
