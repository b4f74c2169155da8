import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { type AddressResolver, checkUrl, createResolver, resolveTarget, type TestTarget, type VettedAddress } from './check-target';
import { createConnector, isAmong } from './connect';
import { type Failure, type HttpConnection, post, type Posted, withClient } from './post';

/** Limits of an attempt (WH6). */
const LIMITS = { totalMs: 15_000, dnsMs: 2_000, connectMs: 5_000 };

/** Number of idle connections, and age of any connection. */
const IDLE = { total: 1_000, lifeMs: 60_000 };

export interface SenderOptions {
  /** From `parseTestTargets`. */
  readonly targets: readonly TestTarget[];
  /** Authority, in PEM, trusted in addition to Node's own. */
  readonly ca?: string;
  /** The system's DNS servers by default. */
  readonly resolver?: AddressResolver;
  /** Milliseconds for the whole attempt (15,000), for the DNS (2,000), for TCP and TLS together (5,000). */
  readonly limits?: typeof LIMITS;
  /** Limits of the connections that wait for another POST: 1,000, none older than 60 s. */
  readonly idle?: typeof IDLE;
  /** Monotonic clock. */
  readonly monotonicMs?: () => number;
}

/** One POST. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** The connection stays open for this owner's next POST to the same host and port; without an owner it is closed. */
  readonly owner?: string;
  /** Ends the attempt early, as `timeout`. */
  readonly signal?: AbortSignal;
}

/**
 * Result of an attempt.
 *
 * | class | |
 * |---|---|
 * | `ok` | a 2xx, read to its end or to 16 KiB |
 * | `status_<n>` | any other status; a redirect is one and is not followed |
 * | `timeout` | not answered in full in time, or not connected in time, or ended by `signal` |
 * | `dns` | no address, or none in time |
 * | `guard` | the URL or an address of its host is not allowed; `reason` says why |
 * | `tls` | an invalid certificate for the host, or no TLS |
 * | `connect` | no connection |
 * | `reset` | the connection broke, or the answer is not HTTP |
 * | `too_large` | more than 16 KiB of headers |
 */
export interface SendResult {
  readonly class: 'ok' | `status_${number}` | 'dns' | 'guard' | Failure;
  /** Reason of the guard or the DNS: a `UrlFault`, `address_not_public`, `address_not_vetted` or `no_address`. */
  readonly reason?: string;
  /** Of the answer, even when it was not read in full. */
  readonly status?: number;
  /** Wait that the answer asks for, from now. */
  readonly retryAfterSeconds?: number;
  readonly durationMs: number;
  /** The answer's first 1 KiB at most, as text without control characters, secrets masked. */
  readonly snippet: string;
  /** The address that was connected. */
  readonly address?: string;
  /** Whether the URL is a listed test target. */
  readonly testTarget: boolean;
}

/** Sends POSTs to customers' URLs, guarded. */
export interface Sender {
  /** Sends one. Never rejects because of the URL, the network or the receiver. */
  send(outgoing: Outgoing): Promise<SendResult>;
  /** Number of connections that wait for another POST. */
  idle(): number;
  /** Closes the connections that wait. */
  close(): void;
}

type Result = Omit<SendResult, 'durationMs'>;

interface OwnedConnection extends HttpConnection {
  /** Owner, host and port; undefined without an owner. */
  readonly key: string | undefined;
}

/**
 * Makes a sender that connects only to vetted addresses of the host, over verified TLS, and ignores proxies of the environment. A
 * connection is reused only by its owner, after the host was resolved and vetted again, and only if its address is still among the
 * vetted ones. If an idle connection turns out to be closed before a byte of the request is sent, another one is used.
 */
export function createSender(options: SenderOptions): Sender {
  const { targets, ca, limits = LIMITS, monotonicMs = () => performance.now() } = options;
  const { resolver = createResolver(limits.dnsMs), idle: { total, lifeMs } = IDLE } = options;
  const connect = createConnector({ ca, connectMs: limits.connectMs }, monotonicMs);
  /** Connections that wait, the longest first, each with the timer that ends its life. */
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
      // With the turn of the event loop that undici waits before it writes, all that has reached this machine by now is read first.
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

  /** Removes and returns the connection of a key that was used last; closes those it passes that are too old or connected elsewhere. */
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

  /** Time until a connection is too old. */
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
