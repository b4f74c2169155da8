import type { Queryable } from '@market-state/postgres';
import type { Service } from '@market-state/service';
import { Counter } from 'prom-client';
import type { AccountConfig } from '../config';
import { sendMail } from '../mail/send-mail';
import { createMailTransport } from '@market-state/mail';
import type { ClaimDeps } from './claim';
import type { AccountsDeps } from './deps';
import { createHashThreads, createPasswords } from './passwords';
import { createPasswordWork, WORK_MS_MAX } from './password-work';
import { PENDING_LIFE_MS } from './second-factor';
import { sweepSessions } from './sessions';
import { deleteExpiredClaimTokens, deleteExpiredEmailClaims } from '../store/claim-tokens';
import { deleteExpiredEmailChanges } from '../store/email-changes';
import { deleteExpiredInvitations } from '../store/invitations';
import { deleteExpiredPasswordResets } from '../store/password-resets';
import { createSeal } from '../seal';
import { createOidcProvider } from '../oidc/provider';
import { deleteExpiredOidcLogins } from '../store/oidc';
import { deletePendingFactors } from '../store/second-factors';
import { deleteOldStamps } from '../store/throttles';

/** Longer than the window of any limit. */
const STAMPS_KEPT_MS = 2 * 86_400_000;

async function sweepAccounts(db: Queryable, nowMs: number): Promise<void> {
  await sweepSessions(db, nowMs);
  await deleteOldStamps(db, nowMs - STAMPS_KEPT_MS);
  await deleteExpiredClaimTokens(db, nowMs);
  await deleteExpiredEmailClaims(db, nowMs);
  await deleteExpiredPasswordResets(db, nowMs);
  await deleteExpiredEmailChanges(db, nowMs);
  await deleteExpiredInvitations(db, nowMs);
  await deleteExpiredOidcLogins(db, nowMs);
  await deletePendingFactors(db, nowMs - PENDING_LIFE_MS);
}

const MAIL_INTERVAL_MS = 500;
const SWEEP_INTERVAL_MS = 10_000;

interface StartAccountsOptions extends Omit<AccountsDeps, 'passwords' | 'mailToFolder' | 'factorSeal' | 'oidc'> {
  readonly config: AccountConfig;
}

export async function startAccounts(options: StartAccountsOptions, { closer, repeat, metrics }: Service): Promise<ClaimDeps> {
  const { pool, limits, clock, randomBytes, logger, config } = options;
  const hashes = new Counter({
    name: 'account_password_hashes_total',
    help: 'Passwords hashed or verified.',
    registers: [metrics.registry],
  });
  const threads = createHashThreads();
  closer.add('password threads', () => threads.close());
  const startedMs = performance.now();
  const otherHash = await threads.hash(Buffer.from(randomBytes(32)).toString('hex'));
  const work = createPasswordWork({ workMs: Math.min(performance.now() - startedMs, WORK_MS_MAX) });
  const passwords = createPasswords({ threads, work, otherHash, onHash: () => hashes.inc() });

  const transport = createMailTransport(config.mail, clock);
  closer.add('mail transport', () => transport.close());
  repeat('mail', MAIL_INTERVAL_MS, async () => {
    while (await sendMail({ pool, transport, publicBaseUrl: config.publicBaseUrl, clock, randomBytes, logger }));
  });
  repeat('account sweep', SWEEP_INTERVAL_MS, () => sweepAccounts(pool, clock()));
  const { allowTrials, verifiesEmails, mail, answerSecret } = config;
  const factorSeal = createSeal(answerSecret, 'secondFactors');
  return {
    pool,
    passwords,
    limits,
    clock,
    randomBytes,
    logger,
    factorSeal,
    allowTrials,
    verifiesEmails,
    mailToFolder: 'folder' in mail.to,
    oidc: config.oidc === null ? null : createOidcProvider(config.oidc, config.publicBaseUrl),
  };
}
