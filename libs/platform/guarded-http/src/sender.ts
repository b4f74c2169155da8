import { Agent } from 'node:https';
import { createSecureContext, rootCertificates } from 'node:tls';
import { checkUrl } from './check-url';
import { type Failure, post, type Posted } from './post';
import { type AddressResolver, createResolver, resolveTarget } from './resolve-target';
import type { TestTarget } from './test-targets';

/** Limits of an attempt (WH6). */
const LIMITS = { totalMs: 15_000, dnsMs: 2_000, connectMs: 5_000 };

const TLS_SESSIONS_MAX = 1_000;

export interface SenderOptions {
  /** From `parseTestTargets`. */
  readonly targets: readonly TestTarget[];
  /** Authority, in PEM, that is trusted beside Node's own. */
  readonly ca?: string;
  /** The system's DNS servers by default. */
  readonly resolver?: AddressResolver;
  /** Milliseconds: of the whole attempt (15,000), of the DNS (2,000), of TCP and TLS together (5,000). */
  readonly limits?: typeof LIMITS;
}

/** One POST. */
export interface Outgoing {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
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

/** Sends one POST to a customer's URL, guarded, and never rejects for what the URL, the network or the receiver does. */
export type Sender = (outgoing: Outgoing) => Promise<SendResult>;

/**
 * A sender that opens a connection of its own for each POST, to a vetted address of the host alone, over verified TLS, and takes no proxy
 * from the environment. It holds nothing that must be closed.
 */
export function createSender(options: SenderOptions): Sender {
  const { targets, ca, limits = LIMITS } = options;
  const { resolver = createResolver(limits.dnsMs) } = options;
  // An agent of its own: the global one may be set to a proxy.
  const agent = new Agent({
    keepAlive: false,
    maxCachedSessions: TLS_SESSIONS_MAX,
    // Made once: reading the authorities takes twenty times as long as a delivery.
    secureContext: createSecureContext(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  });
  return async (outgoing) => {
    const startMs = performance.now();
    const end = new AbortController();
    const abort = () => end.abort();
    const timer = setTimeout(abort, limits.totalMs);
    outgoing.signal?.addEventListener('abort', abort, { once: true });
    try {
      const result = await attempt(outgoing, end.signal);
      return { ...result, durationMs: performance.now() - startMs };
    } finally {
      clearTimeout(timer);
      outgoing.signal?.removeEventListener('abort', abort);
    }
  };

  async function attempt(
    { url: text, headers, body, signal: given }: Outgoing,
    signal: AbortSignal,
  ): Promise<Omit<SendResult, 'durationMs'>> {
    const checked = checkUrl(text, targets);
    if (!checked.ok) return { class: 'guard', reason: checked.reason, snippet: '', testTarget: false };
    const { url } = checked;
    const resolved = await resolveTarget(url, { resolver, targets, timeoutMs: limits.dnsMs });
    if (!resolved.ok) return { class: resolved.class, reason: resolved.reason, snippet: '', testTarget: false };
    const { addresses, testTarget } = resolved;
    if (signal.aborted || given?.aborted) return { class: 'timeout', snippet: '', testTarget };
    const posted = await post({ url, headers, body, addresses, agent, connectMs: limits.connectMs, signal });
    return { ...posted, class: classOf(posted), testTarget };
  }
}

function classOf({ failure, status = 0 }: Posted): SendResult['class'] {
  if (failure !== undefined) return failure;
  return status >= 200 && status < 300 ? 'ok' : `status_${status}`;
}
