import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, type VettedAddress } from './check-target';
import { createConnector, isAmong } from './connect';
import { type Failure, type HttpConnection, post, type Posted, withClient } from './post';

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

function classOf(status = 0): SendResult['class'] {
  return status >= 200 && status < 300 ? 'ok' : `status_${status}`;
}
