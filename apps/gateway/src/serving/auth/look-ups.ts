import { isServiceError } from '@market-state/errors';
import { delay, type ConcurrencyLimit } from '@market-state/lifecycle';
import { currentRequestId, requestIdOr, withRequestContext } from '@market-state/logging';
import type { RefusedCredentials } from '../limits/refused-credentials';
import { type CredentialWatch, type KnownCredentials, type UnknownCredentials, digestHex } from './known-credentials';
import type { Grant } from './grant';

/** Age up to which a look-up in flight is shared, in milliseconds. */
const JOINED_MS = 250;
/** Retries for accepted credentials while account is unavailable, in milliseconds. */
const PATIENCE_MS = 5_000;
const AGAIN_MS = 100;
const AWAY: ReadonlySet<string> = new Set(['UNAVAILABLE', 'DEADLINE_EXCEEDED']);

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
  readonly now: () => number;
  readonly monotonicMs: () => number;
  readonly isWellFormed: (secret: string) => boolean;
  readonly ask: (secret: string) => Promise<Grant | null>;
  readonly onAccepted: (grant: Grant) => void;
}

/**
 * Null if refused. `address` counts refusals; undefined for a credential already in use.
 * @throws {Problem} 429 for an address over its limit, 503 if too many look-ups are pending
 * @throws {ServiceError} if account cannot answer
 */
export type LookUp = (secret: string, address?: string) => Promise<Grant | null>;

interface UnderWay {
  readonly latest: { requestedAtMs: number };
  readonly generation: number;
  readonly grant: Promise<Grant | null>;
}

/** Accepted credentials go ahead of new ones, so that a flood of unknown ones cannot block them. */
export function createLookUp(deps: LookUpDeps): LookUp {
  const { known, unknown, limits, refused, watch, now, monotonicMs, isWellFormed, ask, onAccepted } = deps;
  const underWay = new Map<string, UnderWay>();

  /** Accepted credentials wait for account to recover; others get two attempts. */
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
    // Only account decides on expiry: clocks differ.
    if (known.add(digest, grant, generation)) onAccepted(grant);
    return grant;
  }

  /** Independent of the first caller, who may disconnect. */
  function askTogether(secret: string, digest: string, limit: ConcurrencyLimit): Promise<Grant | null> {
    const latest = { requestedAtMs: now() };
    const generation = watch.generation();
    const other = underWay.get(digest);
    if (other !== undefined && other.generation === generation && latest.requestedAtMs - other.latest.requestedAtMs < JOINED_MS)
      return other.grant;
    const ask = (): Promise<Grant | null> => limit(() => askOnce(secret, digest, () => (latest.requestedAtMs = now())));
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
