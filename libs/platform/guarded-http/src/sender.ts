import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { redactText } from '@market-state/logging';
import { Client } from 'undici';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, type VettedAddress } from './check-target';
import { createConnector, isAmong, type Connection, type NotConnected } from './connect';

const LIMITS = { totalMs: 15_000, dnsMs: 2_000, connectMs: 5_000 };

const IDLE = { total: 1_000, lifeMs: 60_000 };

export interface SenderOptions {
  readonly targets: readonly TestTarget[];
  /** PEM authority trusted in addition to Node's own. */
  readonly ca?: string;
  /** Default: the system's DNS servers. */
  readonly resolver?: AddressResolver;
  /** Limits in milliseconds: whole attempt (15,000), DNS (2,000), TCP and TLS together (5,000). */
  readonly limits?: typeof LIMITS;
  /** Limits of idle connections; default 1,000, none older than 60 s. */
  readonly idle?: typeof IDLE;
  readonly monotonicMs?: () => number;
}

export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Keeps the connection for this owner's next POST to the same host and port. Without an owner it is closed. */
  readonly owner?: string;
  /** Reported as `timeout`. */
  readonly signal?: AbortSignal;
}

/**
 * Result of an attempt.
 * | class | |
 * |---|---|
 * | `ok` | a 2xx, read to its end or to 16 KiB |
 * | `status_<n>` | any other status; redirects are not followed |
 * | `timeout` | not connected or not fully answered in time, or aborted by `signal` |
 * | `dns` | no address, or not in time |
 * | `guard` | the URL or an address of its host is not allowed; see `reason` |
 * | `tls` | an invalid certificate for the host, or no TLS |
 * | `connect` | no connection |
 * | `reset` | the connection broke, or the response is not HTTP |
 * | `too_large` | more than 16 KiB of headers |
 */
export interface SendResult {
  readonly class: 'ok' | `status_${number}` | 'dns' | 'guard' | Failure;
  /** Reason for `guard` or `dns`: a `UrlFault`, `address_not_public`, `address_not_vetted` or `no_address`. */
  readonly reason?: string;
  /** Even if the response was not fully read. */
  readonly status?: number;
  /** Requested wait from now. */
  readonly retryAfterSeconds?: number;
  readonly durationMs: number;
  /** First 1 KiB of the response, with control characters removed and secrets masked. */
  readonly snippet: string;
  readonly address?: string;
  readonly testTarget: boolean;
}

export interface Sender {
  /** Never rejects because of the URL, the network or the receiver. */
  send(outgoing: Outgoing): Promise<SendResult>;
  idle(): number;
  close(): void;
}

type Result = Omit<SendResult, 'durationMs'>;

interface OwnedConnection extends HttpConnection {
  readonly key: string | undefined;
}

/**
 * Connects only to vetted addresses, over verified TLS, and ignores proxy variables. A connection is reused only by its owner, after
 * vetting the host again. If it closed before any byte was sent, another is used.
 */
export function createSender(options: SenderOptions): Sender {
  const { targets, ca, limits = LIMITS, monotonicMs = () => performance.now() } = options;
  const { resolver = createResolver(limits.dnsMs), idle: { total, lifeMs } = IDLE } = options;
  const connect = createConnector({ ca, connectMs: limits.connectMs }, monotonicMs);
  const idle = new Map<OwnedConnection, NodeJS.Timeout>();

  async function send(outgoing: Outgoing): Promise<SendResult> {
    const startMs = performance.now();
    const end = new AbortController();
    const abort = () => end.abort();
    const timer = setTimeout(abort, limits.totalMs);
    outgoing.signal?.addEventListener('abort', abort, { once: true });
    if (outgoing.signal?.aborted) abort();
    try {
      const result = await attempt(outgoing, end.signal);
      return { ...result, durationMs: performance.now() - startMs };
    } finally {
      clearTimeout(timer);
      outgoing.signal?.removeEventListener('abort', abort);
    }
  }

  async function attempt(outgoing: Outgoing, signal: AbortSignal): Promise<Result> {
    const checked = checkUrl(outgoing.url, targets);
    if (!checked.ok) return { class: 'guard', reason: checked.reason, snippet: '', testTarget: false };
    const { url } = checked;
    const key = outgoing.owner === undefined ? undefined : `${outgoing.owner} ${url.host}`;
    const resolved = await resolveTarget(url, { resolver, targets, timeoutMs: limits.dnsMs });
    if (!resolved.ok) {
      if (key !== undefined) connectionsOf(key).forEach(drop);
      return { class: resolved.class, reason: resolved.reason, snippet: '', testTarget: false };
    }
    const { addresses, testTarget } = resolved;
    if (signal.aborted) return { class: 'timeout', snippet: '', testTarget };
    const request = { url, headers: outgoing.headers, body: outgoing.body, keepAlive: key !== undefined, signal };

    for (let reused = take(key, addresses); reused !== undefined; reused = take(key, addresses)) {
      // Reads everything that has already arrived, such as a close, before undici writes.
      await yieldToEventLoop();
      const posted = await post(reused, request);
      if (posted.isSent || signal.aborted) return resultOf(reused, posted, testTarget);
    }
    const connection = await connect({ url, addresses, signal });
    if ('failure' in connection) {
      const { failure, ...where } = connection;
      return { ...where, class: failure, snippet: '', testTarget };
    }
    const opened = { ...withClient(connection, url, lifeMs), key };
    opened.socket.once('close', () => remove(opened));
    return resultOf(opened, await post(opened, request), testTarget);
  }

  function resultOf(connection: OwnedConnection, { isSent: _, failure, ...answer }: Posted, testTarget: boolean): Result {
    if (connection.key === undefined) connection.socket.destroy();
    else if (!connection.socket.destroyed) put(connection);
    return { ...answer, class: failure ?? classOf(answer.status), testTarget };
  }

  /** Closes connections that are too old or connected elsewhere. */
  function take(key: string | undefined, addresses: readonly VettedAddress[]): OwnedConnection | undefined {
    for (const connection of key === undefined ? [] : connectionsOf(key).reverse()) {
      remove(connection);
      if (isAmong(addresses, connection.address) && leftMs(connection) > 0) return connection;
      connection.socket.destroy();
    }
    return undefined;
  }

  function put(connection: OwnedConnection): void {
    const timer = setTimeout(() => connection.socket.destroy(), leftMs(connection));
    idle.set(connection, timer.unref());
    const [longest] = idle.keys();
    if (idle.size > total && longest !== undefined) drop(longest);
  }

  function remove(connection: OwnedConnection): void {
    clearTimeout(idle.get(connection));
    idle.delete(connection);
  }

  function drop(connection: OwnedConnection): void {
    remove(connection);
    connection.socket.destroy();
  }

  function leftMs({ connectedMs }: OwnedConnection): number {
    return connectedMs + lifeMs - monotonicMs();
  }

  function connectionsOf(key: string): OwnedConnection[] {
    return [...idle.keys()].filter((connection) => connection.key === key);
  }

  return { send, idle: () => idle.size, close: () => [...idle.keys()].forEach(drop) };
}

const HEADER_BYTES_MAX = 16_384;
const READ_BYTES_MAX = 16_384;
const SNIPPET_BYTES_MAX = 1_024;
const SWITCHED = 101;
const HTTP_DATE = /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/;
/** Control characters, and characters that change text direction or break lines. */
const CONTROL_CHARACTERS = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

type Failure = NotConnected['failure'] | 'too_large';

interface HttpConnection extends Connection {
  readonly client: Client;
}

interface PostOptions {
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Requests that the receiver keep the connection open. */
  readonly keepAlive: boolean;
  readonly signal: AbortSignal;
}

interface Posted {
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
function withClient(connection: Connection, { origin }: URL, idleMs: number): HttpConnection {
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
 * Posts a body once and reads at most 16 KiB of the response. The connection stays open only if both sides allow it, after
 * one complete response. Rejects only for invalid headers.
 */
function post({ client, socket, address }: HttpConnection, options: PostOptions): Promise<Posted> {
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

function classOf(status = 0): SendResult['class'] {
  return status >= 200 && status < 300 ? 'ok' : `status_${status}`;
}
