import type { Logger } from '@market-state/logging';
import type { Pool } from 'pg';
import { findAccount } from '../accounts/find-account';
import { createResetToken, RESET_LIFE_MINUTES } from '../accounts/reset-token';
import { postponeMail, removeMail, takeMail } from './outbox';
import { resetMail } from './reset-mail';
import type { MailTransport } from './transport';

/** Longer than any try may take: after it another process tries. */
const LEASE_MS = 120_000;
const RETRY_FIRST_MS = 2_000;
const RETRY_LONGEST_MS = 300_000;
/** Whoever has waited so long for a reset mail has asked for another. */
const GIVE_UP_MS = RESET_LIFE_MINUTES * 60_000;

export interface SendMailDeps {
  readonly pool: Pool;
  readonly transport: MailTransport;
  readonly publicBaseUrl: string;
  readonly clock: () => number;
  readonly randomBytes: (size: number) => Uint8Array;
  readonly logger: Logger;
}

/**
 * Sends one mail that is due; false when none is. Each try makes a token of its own, which replaces that of the try before. An email without an
 * account gets nothing.
 */
export async function sendMail(deps: SendMailDeps): Promise<boolean> {
  const { pool, transport, publicBaseUrl, clock, logger } = deps;
  const mail = await takeMail(pool, clock(), LEASE_MS);
  if (mail === null) return false;
  const account = await findAccount(pool, mail.email);
  try {
    if (account !== null) {
      await transport.send(`${mail.id}-${mail.attempts}`, account.email, resetMail(publicBaseUrl, await createResetToken(pool, account.id, deps)));
      logger.info({ mail_id: mail.id, account_id: account.id }, 'reset mail sent');
    }
    await removeMail(pool, mail.id);
  } catch (error) {
    const dueTsMs = clock() + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (mail.attempts - 1));
    const isOver = dueTsMs > mail.createdTsMs + GIVE_UP_MS;
    if (isOver) await removeMail(pool, mail.id);
    else await postponeMail(pool, mail.id, dueTsMs);
    logger.warn({ mail_id: mail.id, attempts: mail.attempts, err: error }, isOver ? 'reset mail given up' : 'reset mail not sent yet');
  }
  return true;
}
