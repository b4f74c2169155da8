import { checkUrl } from './check-url';
import { type Connection, createConnector } from './connect';
import { createIdleConnections, type IdleLimits } from './idle-connections';
import { type Failure, post, type Posted } from './post';
import { type AddressResolver, createResolver, resolveTarget, type VettedAddress } from './resolve-target';
import type { TestTarget } from './test-targets';

/** Limits of an attempt (WH6). */
const LIMITS = { totalMs: 15_000, dnsMs: 2_000, connectMs: 5_000 };

const IDLE: IdleLimits = { total: 1_000, lifeMs: 60_000 };

export interface SenderOptions {
  /** From `parseTestTargets`. */
  readonly targets: readonly TestTarget[];
  /** Authority, in PEM, that is trusted beside Node's own. */
  readonly ca?: string;
  /** The system's DNS servers by default. */
  readonly resolver?: AddressResolver;
  /** Milliseconds: of the whole attempt (15,000), of the DNS (2,000), of TCP and TLS together (5,000). */
  readonly limits?: typeof LIMITS;
  /** Connections that are kept between POSTs: 1,000, and none older than 60 s. */
  readonly idle?: IdleLimits;
  /** Milliseconds that only rise. */
  readonly monotonicMs?: () => number;
}

/** One POST. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
  /** Whose POST it is. Its connection is kept for the owner's next one to the same host and port; without an owner it is closed. */
  readonly owner?: string;
  /** Ends the attempt early, as `timeout`. */
  readonly signal?: AbortSignal;
}

/**
 * What came of an attempt.
 *
 * | class | |
 * |---|---|
 * | `ok` | a 2xx, read to its end or to 16 KiB |
 * | `status_<n>` | any other status; a redirect is one and is not followed |
 * | `timeout` | not answered in full in time, or not connected in time, or ended by `signal` |
 * | `dns` | no address, or none in time |
 * | `guard` | the URL or an address of its host is not allowed; `reason` says why |
 * | `tls` | a certificate that does not prove the host, or no TLS |
 * | `connect` | no connection |
 * | `reset` | the connection broke, or what came is no HTTP |
 * | `too_large` | more than 16 KiB of headers |
 */
export interface SendResult {
  readonly class: 'ok' | `status_${number}` | 'dns' | 'guard' | Failure;
  /** Why the guard or the DNS refused: a `UrlFault`, `address_not_public`, `address_not_vetted` or `no_address`. */
  readonly reason?: string;
  /** Of the answer, even when it was not read in full. */
  readonly status?: number;
  /** What the answer asks for, in seconds from now. */
  readonly retryAfterSeconds?: number;
  readonly durationMs: number;
  /** The answer's first 1 KiB at most, as text without control characters, secrets masked. */
  readonly snippet: string;
  /** The address that was connected. */
  readonly address?: string;
  /** Whether the URL is a listed test target. */
  readonly testTarget: boolean;
}

/** Sends POSTs to URLs of customers, guarded. */
export interface Sender {
  /** Sends one. Never rejects for what the URL, the network or the receiver does. */
  send(outgoing: Outgoing): Promise<SendResult>;
  /** Connections that wait for another POST. */
  idle(): number;
  /** Closes the connections that wait. */
  close(): void;
}

type Result = Omit<SendResult, 'durationMs'>;

/**
 * A sender that connects to vetted addresses of the host alone, over verified TLS, and takes no proxy from the environment. A connection is
 * used again by the same owner alone, after the host was resolved and every address of it vetted anew, while its own is among them. Where a
 * kept connection turns out to be closed before a byte of the request is sent, a new one is opened.
 */
export function createSender(options: SenderOptions): Sender {
  const { targets, ca, limits = LIMITS, monotonicMs = () => performance.now() } = options;
  const { resolver = createResolver(limits.dnsMs) } = options;
  const idle = createIdleConnections(options.idle ?? IDLE, monotonicMs);
  const connect = createConnector({ ca, connectMs: limits.connectMs }, monotonicMs);

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
      if (key !== undefined) idle.drop(key);
      return { class: resolved.class, reason: resolved.reason, snippet: '', testTarget: false };
    }
    const { addresses, testTarget } = resolved;
    if (signal.aborted) return { class: 'timeout', snippet: '', testTarget };
    const connection = await connectionTo({ url, addresses, key, signal });
    if ('failure' in connection) {
      const { failure, ...where } = connection;
      return { ...where, class: failure, snippet: '', testTarget };
    }
    const { headers, body } = outgoing;
    const { idleMs, failure, ...posted } = await post({ url, headers, body, connection, keepAlive: key !== undefined, signal });
    if (key !== undefined && idleMs > 0) idle.put(key, connection, idleMs);
    return { ...posted, class: classOf({ ...posted, failure }), testTarget };
  }

  /** A kept one that is alive, or a new one. */
  async function connectionTo(to: {
    readonly url: URL;
    readonly addresses: readonly VettedAddress[];
    readonly key: string | undefined;
    readonly signal: AbortSignal;
  }): Promise<Awaited<ReturnType<typeof connect>>> {
    const kept: Connection | undefined = to.key === undefined ? undefined : await idle.take(to.key, to.addresses);
    return kept ?? connect(to);
  }

  return { send, idle: idle.total, close: idle.close };
}

function classOf({ failure, status = 0 }: Pick<Posted, 'failure' | 'status'>): SendResult['class'] {
  if (failure !== undefined) return failure;
  return status >= 200 && status < 300 ? 'ok' : `status_${status}`;
}
