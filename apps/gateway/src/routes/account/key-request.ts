import type { account } from '@market-state/contracts';
import { secretDigest } from '@market-state/credentials';
import type { CallContext } from '../../serving/answers/handler';
import type { Described } from '../../serving/openapi/described';
import { parseInstant } from '../../serving/meta/instant';

/** When a key expires, milliseconds since the epoch; 0 for empty, which means never. */
export function expiryOf(text: string): number {
  return text === '' ? 0 : (parseInstant(text) ?? 0);
}

/** The ceiling that a body asks for; undefined where it has none or null. */
export function ceilingOf(ceiling: Described<'CreditCeilingRequest'> | undefined): account.CreditCeiling | undefined {
  return ceiling === undefined || ceiling === null ? undefined : { credits: ceiling.credits, windowSeconds: ceiling.window_seconds };
}

/** The rate that a body asks for; undefined where it has none or null. */
export function rateOf(rate: Described<'KeyRateRequest'> | undefined): number | undefined {
  return rate?.calls_per_minute;
}

/** Digest of the credential that asks, which account reads again: it may have ended since. */
export function credentialDigestOf({ credential }: CallContext): Buffer | undefined {
  return credential === null ? undefined : secretDigest(credential.secret);
}
