import { redactText } from '@market-state/logging';
import { Client } from 'undici';
import type { Connection, NotConnected } from './connect';

const HEADER_BYTES_MAX = 16_384;
const READ_BYTES_MAX = 16_384;
const SNIPPET_BYTES_MAX = 1_024;
/** The rest of the connection is another protocol. */
const SWITCHED = 101;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** Control characters, and characters that change the direction or the line of what follows. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** Failure of an attempt after its addresses were vetted. */
export type Failure = NotConnected['failure'] | 'too_large';

/** A connection with the HTTP client that uses no other. */
export interface HttpConnection extends Connection {
  readonly client: Client;
}

export interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Asks the receiver to leave the connection open. */
  readonly keepAlive: boolean;
  readonly signal: AbortSignal;
}

/** The parts of the answer that arrived. */
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
 * Puts HTTP on a connection, whose socket undici closes `idleMs` after an answer, a second before the receiver's `Keep-Alive: timeout=`,
 * and as soon as anything arrives unasked. The client has this socket only, so undici can't write a request a second time elsewhere.
 */
export function withClient(connection: Connection, { origin }: URL, idleMs: number): HttpConnection {
  const { socket } = connection;
  const client = new Client(origin, {
    // undici expects the callback later than the call.
    connect: (_options, callback) =>
      queueMicrotask(() => (socket.destroyed ? callback(new Error('closed'), null) : callback(null, socket))),
    maxHeaderSize: HEADER_BYTES_MAX,
    keepAliveTimeout: idleMs,
    keepAliveMaxTimeout: idleMs,
    keepAliveTimeoutThreshold: 1_000,
    // The signal of the attempt ends all of them.
    headersTimeout: 0,
    bodyTimeout: 0,
  });
  return { ...connection, client };
}

/**
 * Posts a body over a connection, once, and reads at most 16 KiB of the answer. The socket is destroyed unless both sides leave it open
 * after one whole answer. Rejects for invalid headers only.
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
      // An answer that overtook its request leaves bytes behind. Where nothing follows, undici would close the socket with an error whose
      // stack Node formats, a sixth of what such a POST costs.
      if (failure !== undefined || !keepAlive || socket.writableLength > 0) socket.destroy();
      const snippet = failure === undefined ? snippetOf(Buffer.concat(chunks).subarray(0, READ_BYTES_MAX)) : '';
      resolve({ ...answer, failure, snippet, address, isSent });
    }

    function giveUp(): void {
      settle('timeout');
    }

    /** Ends an answer that is not read to its end. */
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
          // undici refuses 101 that names a protocol, and no other status, by this error, and does not hand on the status.
          stop({ status: SWITCHED });
        } else settle(error.code === 'UND_ERR_HEADERS_OVERFLOW' ? 'too_large' : 'reset');
      },
    };
    const path = `${url.pathname}${url.search}`;
    client.dispatch({ method: 'POST', path, headers: { ...headers, 'accept-encoding': 'identity' }, body, reset: !keepAlive }, handler);
  });
}

/** Returns the beginning of a body as text of at most 1 KiB: secrets masked, control characters replaced by blanks. */
function snippetOf(body: Buffer): string {
  const text = redactText(body.toString('utf8')).replace(CONTROL_CHARACTERS, ' ');
  const bytes = Buffer.from(text);
  if (bytes.length <= SNIPPET_BYTES_MAX) return text;
  // The cut may leave part of a character.
  return bytes
    .subarray(0, SNIPPET_BYTES_MAX)
    .toString('utf8')
    .replace(/\ufffd{1,3}$/, '');
}

/** Parses `Retry-After`, seconds or a date, to seconds from `nowMs`; of several the first. */
function retryAfterSeconds(headers: string | string[] = [], nowMs: number): number | undefined {
  const [header] = [headers].flat();
  if (header === undefined) return undefined;
  if (/^\d{1,9}$/.test(header)) return Number(header);
  const atMs = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(atMs) ? undefined : Math.max(0, Math.ceil((atMs - nowMs) / 1_000));
}
