import type { ClientRequest, IncomingMessage } from 'node:http';
import { request } from 'node:https';
import type { Connection, NotConnected } from './connect';
import { readBody, retryAfterSeconds, snippetOf } from './read-answer';

const HEADER_BYTES_MAX = 16_384;
/** Nothing that is HTTP follows it. */
const SWITCHED = 101;
const KEEP_ALIVE_TIMEOUT = /(?:^|[,\s])timeout=(\d{1,6})(?:$|[,\s])/i;
/** A receiver that says how long it waits is left so much before that. */
const HINT_MARGIN_MS = 1_000;

/** How an attempt failed once its addresses were vetted. */
export type Failure = NotConnected['failure'] | 'too_large';

export interface PostOptions {
  readonly connection: Connection;
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whether the receiver is asked to leave the connection open. */
  readonly keepAlive: boolean;
  readonly signal: AbortSignal;
}

/** The answer's parts as far as they came, and how the attempt failed if it did. */
export interface Posted {
  readonly failure?: Failure;
  readonly reason?: string;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly snippet: string;
  readonly address?: string;
  /** How long the connection may wait for another POST, milliseconds; 0: it is closed. */
  readonly idleMs: number;
}

/** Posts a body over a connection and reads at most 16 KiB of the answer. Rejects for invalid headers alone. */
export async function post(options: PostOptions): Promise<Posted> {
  const { connection, url, headers, body, keepAlive, signal } = options;
  const outgoing = request({
    method: 'POST',
    hostname: url.hostname,
    port: url.port === '' ? 443 : Number(url.port),
    path: `${url.pathname}${url.search}`,
    headers: {
      ...headers,
      'content-length': String(body.length),
      'accept-encoding': 'identity',
      connection: keepAlive ? 'keep-alive' : 'close',
    },
    createConnection: () => connection.socket,
    maxHeaderSize: HEADER_BYTES_MAX,
    signal,
  });
  const events = follow(outgoing);
  let answer: IncomingMessage | undefined;
  let idleMs = 0;
  try {
    outgoing.end(body);
    answer = await events.answered;
    const snippet = answer.statusCode === SWITCHED ? '' : snippetOf(await readBody(answer));
    if (isWhole(outgoing, answer)) {
      await events.closed;
      idleMs = idleMsOf(answer);
    }
    return { ...partsOf(answer, connection), snippet, idleMs };
  } catch (error) {
    return { ...partsOf(answer, connection), snippet: '', idleMs: 0, failure: failureOf(error as NodeJS.ErrnoException, signal) };
  } finally {
    if (idleMs === 0) {
      outgoing.destroy();
      connection.socket.destroy();
    }
  }
}

/** `answered` rejects when the connection ends before; `closed` resolves once the request has let go of its connection. */
function follow(outgoing: ClientRequest): { readonly answered: Promise<IncomingMessage>; readonly closed: Promise<void> } {
  const closed = new Promise<void>((resolve) => outgoing.once('close', resolve));
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.on('error', reject);
    outgoing.once('response', resolve);
    outgoing.once('upgrade', (answer, socket) => {
      socket.destroy();
      resolve(answer);
    });
    outgoing.once('close', () => reject(new Error('closed without an answer')));
  });
  return { answered, closed };
}

/** Whether request and answer went over the connection as agreed, to the last byte of each, and both sides leave it open. */
function isWhole(outgoing: ClientRequest, answer: IncomingMessage): boolean {
  return answer.complete && answer.readableEnded && outgoing.writableFinished && outgoing.shouldKeepAlive;
}

function idleMsOf({ headers }: IncomingMessage): number {
  const [, seconds] = KEEP_ALIVE_TIMEOUT.exec(String(headers['keep-alive'] ?? '')) ?? [];
  return seconds === undefined ? Number.POSITIVE_INFINITY : Math.max(0, Number(seconds) * 1_000 - HINT_MARGIN_MS);
}

function partsOf(answer: IncomingMessage | undefined, { address }: Connection): Pick<Posted, 'status' | 'retryAfterSeconds' | 'address'> {
  return {
    status: answer?.statusCode,
    retryAfterSeconds: retryAfterSeconds(answer?.headers['retry-after'], Date.now()),
    address,
  };
}

function failureOf(error: NodeJS.ErrnoException, signal: AbortSignal): Failure {
  if (signal.aborted) return 'timeout';
  return error.code === 'HPE_HEADER_OVERFLOW' ? 'too_large' : 'reset';
}
