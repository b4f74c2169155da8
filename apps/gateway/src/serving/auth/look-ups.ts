import { isServiceError } from '@market-state/errors';
import { delay, type ConcurrencyLimit } from '@market-state/lifecycle';
import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';
import type { RefusedCredentials } from '../limits/refused-credentials';
import { type CredentialWatch, type KnownCredentials, type UnknownCredentials, digestHex } from './known-credentials';
import type { Grant } from './grant';

/** A look-up under way answers those too who ask so shortly after it began, milliseconds; later ones are not told what may be that old. */
const JOINED_MS = 250;
/** Account is asked again about a credential that was good while it cannot tell, so long and so often, milliseconds. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 100;
/** Codes of a service that is down or hangs. */
const AWAY: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

/** Concurrency limits of look-ups: of credentials that were good before, and of those not seen yet. */
export interface LookUpLimits {
  readonly seen: ConcurrencyLimit;
  readonly unseen: ConcurrencyLimit;
}

export interface LookUpDeps {
  readonly known: KnownCredentials;
  readonly unknown: UnknownCredentials;
  readonly limits: LookUpLimits;
  readonly refused: RefusedCredentials;
  readonly watch: Pick<CredentialWatch, 'generation'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
  /** A clock that never goes backwards, milliseconds. */
  readonly monotonicMs: () => number;
  /** Whether shape and checksum are those of such a credential. */
  readonly isWellFormed: (secret: string) => boolean;
  /** Asks account what it opens; null when nothing. */
  readonly ask: (secret: string) => Promise<Grant | null>;
  readonly onAccepted: (grant: Grant) => void;
}

/**
 * What a credential opens; null when nothing. `address` is that of a caller who presents it, by which refused ones are counted; undefined
 * for a credential that is in use. Throws 429 for an address over its limit, 503 when too many are looked up, a ServiceError when account
 * cannot tell.
 */
export type LookUp = (secret: string, address?: string) => Promise<Grant | null>;

interface UnderWay {
  readonly latest: { /** Time of the newest request to account. */ askedMs: number };
  readonly generation: number;
  readonly grant: Promise<Grant | null>;
}

/**
 * Looks up credentials: one that is remembered at once, one that was good before ahead of those that nobody has seen, so that none of the
 * first two waits for the third or for what its address has sent.
 */
export function createLookUp({
  known,
  unknown,
  limits,
  refused,
  watch,
  now,
  monotonicMs,
  isWellFormed,
  ask,
  onAccepted,
}: LookUpDeps): LookUp {
  const underWay = new Map<string, UnderWay>();

  /** Account may be back in a moment: whoever was let in before waits for that instead of being refused; others are asked about twice. */
  async function askPatiently(secret: string, digest: string, onAsk: () => void): Promise<Grant | null> {
    const startedMs = monotonicMs();
    for (let tries = 1; ; tries += 1) {
      onAsk();
      try {
        return await ask(secret);
      } catch (error) {
        const isAway = isServiceError(error) && AWAY.has(error.code);
        const isWorthIt = tries === 1 || (known.has(digest) && monotonicMs() - startedMs <= PATIENCE_MS);
        if (!isAway || !isWorthIt) throw error;
      }
      await delay(AGAIN_MS);
    }
  }

  async function askOnce(secret: string, digest: string, onAsk: () => void): Promise<Grant | null> {
    const generation = watch.generation();
    const grant = await askPatiently(secret, digest, onAsk);
    if (grant === null) {
      known.delete(digest);
      unknown.add(digest, generation);
      return null;
    }
    // Whether it has ended is account's to say: the clocks of two machines differ.
    if (known.add(digest, grant, generation)) onAccepted(grant);
    return grant;
  }

  /** Asks once for callers of a credential who come together. Whoever asked first may go away: it is asked in the name of all. */
  function askTogether(secret: string, digest: string, limit: ConcurrencyLimit): Promise<Grant | null> {
    const latest = { askedMs: now() };
    const generation = watch.generation();
    const other = underWay.get(digest);
    if (other !== undefined && other.generation === generation && latest.askedMs - other.latest.askedMs < JOINED_MS) return other.grant;
    const ask = (): Promise<Grant | null> => limit(() => askOnce(secret, digest, () => (latest.askedMs = now())));
    const grant = withRequestContext({ requestId: requestIdOr(currentRequestId()) }, ask).finally(() => {
      if (underWay.get(digest)?.grant === grant) underWay.delete(digest);
    });
    underWay.set(digest, { latest, generation, grant });
    return grant;
  }

  async function find(secret: string, digest: string): Promise<Grant | null> {
    if (known.has(digest)) return askTogether(secret, digest, limits.seen);
    return unknown.has(digest) ? null : askTogether(secret, digest, limits.unseen);
  }

  return async (secret, address) => {
    const digest = isWellFormed(secret) ? digestHex(secret) : null;
    const remembered = digest === null ? null : known.grant(digest);
    if (remembered !== null) return remembered;
    if (address !== undefined && (digest === null || !known.has(digest))) refused.refuseWhileOver(address);
    const grant = digest === null ? null : await find(secret, digest);
    if (grant === null && address !== undefined) await refused.count(address);
    return grant;
  };
}
