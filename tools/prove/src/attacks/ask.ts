import { request } from 'node:http';
import { type Answer, ifNoAnswer, NoAnswer } from '../edge/caller';

export interface Question {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent as it is, as JSON. */
  readonly body?: string;
  /** The loopback address to come from. */
  readonly from?: string;
  readonly timeoutMs?: number;
}

const TIMEOUT_MS = 30_000;

/** One call over a connection of its own; null when no whole answer came. */
export function ask(
  url: string,
  { method = 'GET', headers = {}, body, from, timeoutMs = TIMEOUT_MS }: Question = {},
): Promise<Answer | null> {
  const answered = new Promise<Answer>((resolve, reject) => {
    const sentMs = performance.now();
    const json = body === undefined ? {} : { 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(body)) };
    const req = request(url, { agent: false, method, localAddress: from, headers: { ...json, ...headers } });
    const fail = (error: Error): void => reject(new NoAnswer(error, true));
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
          text: Buffer.concat(pieces).toString('utf8'),
          sentMs,
          endMs: performance.now(),
        }),
      );
    });
    req.end(body);
  });
  return answered.catch(ifNoAnswer);
}

/** How often each status came; no answer is 0. */
export function statusesOf(answers: readonly (Pick<Answer, 'status'> | null)[]): Record<number, number> {
  const counts: Record<number, number> = {};
  for (const answer of answers) counts[answer?.status ?? 0] = (counts[answer?.status ?? 0] ?? 0) + 1;
  return counts;
}

/** The error code of an answer; empty where it has none. */
export function codeOf(answer: Pick<Answer, 'text'> | null): string {
  return /"code":"([a-z_]+)"/.exec(answer?.text ?? '')?.[1] ?? '';
}
