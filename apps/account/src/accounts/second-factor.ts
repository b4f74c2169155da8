import { secretDigest } from '@market-state/credentials';
import { unauthenticated } from '@market-state/errors';
import type { Queryable } from '@market-state/postgres';
import { Secret, TOTP } from 'otpauth';
import { writeAccountEvent } from '../store/account-events';
import type { StoredAccount } from '../store/accounts';
import { findSecondFactor, type StoredSecondFactor, useRecoveryCode, useStep, writeRecoveryCodes } from '../store/second-factors';
import { takeStampBack } from '../store/throttles';
import { limitedSubject, takeAttempt } from './attempts';
import type { AccountsDeps } from './deps';

/** A secret must be confirmed within this time. */
export const PENDING_LIFE_MS = 30 * 60_000;

const ISSUER = 'Market-State';
/** Defaults of every authenticator app. */
const PARAMETERS = { algorithm: 'SHA1', digits: 6, period: 30 } as const;
/** Steps by which the clock of a device may differ. */
const WINDOW_STEPS = 1;

const RECOVERY_CODES = 10;
const RECOVERY_CODE_SIZE_BYTES = 10;

export type FactorDeps = Pick<AccountsDeps, 'clock' | 'randomBytes' | 'limits' | 'factorSeal' | 'logger'>;

export function totpOf(secret: Uint8Array, email: string): TOTP {
  return new TOTP({ ...PARAMETERS, issuer: ISSUER, label: email, secret: new Secret({ buffer: Uint8Array.from(secret).buffer }) });
}

/**
 * Passes a login whose password is right if the account has no second factor or the code is valid, which consumes it.
 * The caller's transaction must lock the account's row.
 * @throws ServiceError `second_factor_required` without a code
 */
export async function passSecondFactor(
  deps: FactorDeps,
  db: Queryable,
  account: StoredAccount,
  code: string | undefined,
  network: string,
): Promise<boolean> {
  const factor = await findSecondFactor(db, account.id);
  if (factor?.isConfirmed !== true) return true;
  if (code === undefined)
    throw unauthenticated('second_factor_required', 'This account needs an authentication code or a recovery code as well.');
  return useCode(deps, db, { account, factor, code, network });
}

export interface CodeUse {
  readonly account: StoredAccount;
  readonly factor: StoredSecondFactor;
  readonly code: string;
  readonly network: string;
}

/** Consumes an authentication or recovery code. The caller's transaction must lock the account's row. */
export async function useCode(deps: FactorDeps, db: Queryable, use: CodeUse): Promise<boolean> {
  const { account, network } = use;
  const code = use.code.replaceAll(/[\s-]/gu, '');
  if (/^\d{6}$/.test(code)) return useAuthenticationCode(deps, db, { ...use, code });
  // Recovery codes cannot be guessed, so wrong authentication codes of someone else do not lock them.
  if (!(await useRecoveryCode(db, account.id, recoveryDigest(code)))) return false;
  const { tenantId, id: accountId } = account;
  await writeAccountEvent(db, { tenantId, accountId, kind: 'recovery_code_used', network }, deps);
  return true;
}

/** Over the limit of wrong codes, the right one is refused like a wrong one, so that the limit reveals nothing. */
export async function useAuthenticationCode(deps: FactorDeps, db: Queryable, { account, factor, code }: CodeUse): Promise<boolean> {
  const nowMs = deps.clock();
  const guesses = [limitedSubject('second_factor', account.id, deps.limits.secondFactor)];
  if ((await takeAttempt(db, guesses, nowMs)) > 0) return false;
  const secret = deps.factorSeal.open(account.id, factor.sealedSecret);
  if (secret === undefined) {
    deps.logger.error({ account_id: account.id }, 'the secret of a second factor was sealed with another ANSWER_SECRET');
    return false;
  }
  const totp = totpOf(secret, account.email);
  const delta = totp.validate({ token: code.replaceAll(/\s/gu, ''), timestamp: nowMs, window: WINDOW_STEPS });
  if (delta === null || !(await useStep(db, account.id, totp.counter({ timestamp: nowMs }) + delta))) return false;
  await takeStampBack(db, guesses, nowMs);
  return true;
}

/** Only the digests are stored. */
export async function createRecoveryCodes({ randomBytes }: FactorDeps, db: Queryable, accountId: string): Promise<string[]> {
  const codes = Array.from({ length: RECOVERY_CODES }, () => formatRecoveryCode(randomBytes(RECOVERY_CODE_SIZE_BYTES)));
  await writeRecoveryCodes(
    db,
    accountId,
    codes.map((code) => recoveryDigest(code.replaceAll('-', ''))),
  );
  return codes;
}

/** Four groups of four base32 characters: 80 bits. */
function formatRecoveryCode(bytes: Uint8Array): string {
  const { base32 } = new Secret({ buffer: Uint8Array.from(bytes).buffer });
  return base32.toLowerCase().replaceAll(/.{4}(?=.)/g, '$&-');
}

function recoveryDigest(code: string): Buffer {
  return secretDigest(code.toLowerCase());
}
