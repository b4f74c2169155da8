import { redactText } from '@market-state/logging';
import { Client } from 'undici';
import type { Connection, NotConnected } from './connect';

const HEADER_BYTES_MAX = 16_384;
const READ_BYTES_MAX = 16_384;
const SNIPPET_BYTES_MAX = 1_024;
const SWITCHED = 101;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** Control characters, and characters that change text direction or break lines. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

export type Failure = NotConnected['failure'] | 'too_large';

export interface HttpConnection extends Connection {
  readonly client: Client;
}

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Requests that the receiver keep the connection open. */
  readonly keepAlive: boolean;
  readonly signal: AbortSignal;
}

export interface Posted {
  readonly failure?: Failure;
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  readonly snippet: string;
  readonly address?: string;
  /** False if the connection closed before any byte of the request was written. */
  readonly isSent: boolean;
}

/**
 * Binds an undici client to a connection. The socket is closed `idleMs` after a response, a second before the
 * receiver's `Keep-Alive: timeout=`, and on unsolicited data. undici cannot resend a request over another socket.
 */
export function withClient(connection: Connection, { origin }: URL, idleMs: number): HttpConnection {
  const { socket } = connection;
  const client = new Client(origin, {
    // undici expects an asynchronous callback.
    connect: (_options, callback) =>
      queueMicrotask(() => (socket.destroyed ? callback(new Error('closed'), null) : callback(null, socket))),
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 1_000,
    // The attempt's signal replaces undici's timeouts.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { ...connection, client };
}

/**
 * Posts a body once and reads at most 16 KiB of the response. The socket is kept only if both sides keep it open after
 * one complete response. Rejects only for invalid headers.
 */
export function post({ client, socket, address }: HttpConnection, options: PostOptions): Promise<Posted> {
  const { url, headers, body, keepAlive, signal } = options;
  return new Promise((resolve, reject) => {
    let isSent = false;
    let answer: Pick<Posted, 'status' | 'retryAfterSeconds'> = {};
    const chunks: Buffer[] = [];
    let sizeBytes = 0;

    function settle(failure?: Failure): void {
      signal.removeEventListener('abort', giveUp);
      // A response that overtakes its request leaves bytes behind. Otherwise, destroying the socket avoids undici's
      // costly error.
      if (failure !== undefined || !keepAlive || socket.writableLength > 0) socket.destroy();
      const snippet = failure === undefined ? snippetOf(Buffer.concat(chunks).subarray(0, READ_BYTES_MAX)) : '';
      resolve({ ...answer, failure, snippet, address, isSent });
    }

    function giveUp(): void {
      settle('timeout');
    }

    function stop(as: typeof answer): void {
      answer = as;
      settle();
      socket.destroy();
    }

    if (signal.aborted) return giveUp();
    signal.addEventListener('abort', giveUp, { once: true });
    const handler: Parameters<Client['dispatch']>[1] = {
      onRequestStart() {
        isSent = true;
      },
      onResponseStart(_controller, status, { 'retry-after': retryAfter }) {
        if (status === SWITCHED) stop({ status });
        else if (status >= 200) answer = { status, retryAfterSeconds: retryAfterSeconds(retryAfter, Date.now()) };
      },
      onResponseData(_controller, chunk) {
        chunks.push(chunk);
        sizeBytes += chunk.length;
        if (sizeBytes >= READ_BYTES_MAX) stop(answer);
      },
      onResponseEnd: () => settle(),
      onResponseError(_controller, error: NodeJS.ErrnoException) {
        if (error.code === 'UND_ERR_INVALID_ARG') {
          socket.destroy();
          reject(error);
        } else if (error.message === 'bad upgrade') {
          // undici reports a 101 that names a protocol, and only that, by this error, without the status.
          stop({ status: SWITCHED });
        } else settle(error.code === 'UND_ERR_HEADERS_OVERFLOW' ? 'too_large' : 'reset');
      },
    };
    const path = `${url.pathname}${url.search}`;
    client.dispatch({ method: 'POST', path, headers: { ...headers, 'accept-encoding': 'identity' }, body, reset: !keepAlive }, handler);
  });
}

function snippetOf(body: Buffer): string {
  const text = redactText(body.toString('utf8')).replace(CONTROL_CHARACTERS, ' ');
  const bytes = Buffer.from(text);
  if (bytes.length <= SNIPPET_BYTES_MAX) return text;
  return bytes
    .subarray(0, SNIPPET_BYTES_MAX)
    .toString('utf8')
    .replace(/\ufffd{1,3}$/, '');
}

/** Parses `Retry-After` (seconds or date; the first of several) to seconds from `nowMs`. */
function retryAfterSeconds(headers: string | string[] = [], nowMs: number): number | undefined {
  const [header] = [headers].flat();
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}
