import type { MemberRole } from '@market-state/credentials';
import { isMailRefused, type MailText, type MailTransport } from '@market-state/mail';
import type { AccountDeps } from '../deps';
import { createEmailClaim, EMAIL_CLAIM_LIFE_HOURS } from '../accounts/claim-tokens';
import { accountDigests } from '../accounts/email';
import { createChangeCode, EMAIL_CHANGE_LIFE_MINUTES } from '../accounts/email-change';
import { createResetToken, RESET_LIFE_MINUTES } from '../accounts/password-reset';
import { createInvitationToken, INVITATION_LIFE_DAYS } from '../members/invitations';
import { findAccountByEmail } from '../store/accounts';
import type { MailKind } from '../store/generated/tables';
import { findInvitation, type Invitation } from '../store/invitations';
import { deleteMail, postponeMail, takeMail, type WaitingMail } from '../store/mails';

/** Longer than any try takes; then another process retries. */
const LEASE_MS = 120_000;

const RETRY_FIRST_MS = 2_000;

const RETRY_LONGEST_MS = 300_000;

/** After this time the user has requested another mail. */
const GIVE_UP_MS: Readonly<Record<MailKind, number>> = {
  reset: RESET_LIFE_MINUTES * 60_000,
  claim: 2 * 3_600_000,
  email_change: EMAIL_CHANGE_LIFE_MINUTES * 60_000,
  email_change_requested: 24 * 3_600_000,
  email_changed: 24 * 3_600_000,
  invitation: 24 * 3_600_000,
};

interface SendMailDeps extends Pick<AccountDeps, 'pool' | 'clock' | 'randomBytes' | 'logger'> {
  readonly transport: MailTransport;
  readonly publicBaseUrl: string;
}

/** Sends one due mail; returns false if none is due. Each try creates its own token. */
export async function sendMail(deps: SendMailDeps): Promise<boolean> {
  const { pool, transport, clock, logger } = deps;
  const mail = await takeMail(pool, clock(), LEASE_MS);
  if (mail === null) return false;
  const named = { mail_id: mail.id, mail_kind: mail.kind };
  try {
    const written = await writeMail(deps, mail);
    if (written !== null) {
      await transport.send(`${mail.id}-${mail.attempts}`, written.to, written.text);
      logger.info({ ...named, account_id: written.accountId }, 'mail sent');
    }
    await deleteMail(pool, mail.id);
  } catch (error) {
    const dueTsMs = clock() + Math.min(RETRY_LONGEST_MS, RETRY_FIRST_MS * 2 ** (mail.attempts - 1));
    const isOver = isMailRefused(error) || dueTsMs > mail.createdTsMs + GIVE_UP_MS[mail.kind];
    if (isOver) await deleteMail(pool, mail.id);
    else await postponeMail(pool, mail.id, dueTsMs);
    logger.warn({ ...named, attempts: mail.attempts, err: error }, isOver ? 'mail abandoned' : 'mail not sent, will be retried');
  }
  return true;
}

interface WrittenMail {
  readonly to: string;
  readonly text: MailText;
  readonly accountId?: string;
}

/** Null if nothing is to be sent. A reset token replaces that of the previous try. */
async function writeMail(deps: SendMailDeps, { kind, email, accountId, invitationId }: WaitingMail): Promise<WrittenMail | null> {
  const { pool, publicBaseUrl } = deps;
  const account = await findAccountByEmail(pool, accountDigests(email));
  switch (kind) {
    case 'reset':
      if (account === null) return null;
      return { to: account.email, text: resetMail(publicBaseUrl, await createResetToken(pool, account.id, deps)), accountId: account.id };
    case 'claim':
      if (account !== null) return { to: account.email, text: accountExistsMail(publicBaseUrl), accountId: account.id };
      return { to: email, text: claimMail(publicBaseUrl, email, await createEmailClaim(pool, email, deps)) };
    case 'email_change': {
      if (account !== null) return { to: account.email, text: emailTakenMail(), accountId: account.id };
      const code = accountId === null ? null : await createChangeCode(pool, { accountId, newEmail: email }, deps);
      return code === null ? null : { to: email, text: emailChangeMail(publicBaseUrl, code) };
    }
    case 'email_change_requested':
      return account === null || account.id !== accountId
        ? null
        : { to: account.email, text: changeRequestedMail(publicBaseUrl), accountId };
    case 'email_changed':
      return { to: email, text: emailChangedMail() };
    case 'invitation': {
      const invitation = invitationId === null ? null : await findInvitation(pool, { id: invitationId }, deps.clock());
      if (invitation === null) return null;
      if (account !== null) return { to: account.email, text: invitedWithAccountMail(invitation), accountId: account.id };
      return { to: email, text: invitationMail(publicBaseUrl, invitation, await createInvitationToken(pool, invitation.id, deps)) };
    }
  }
}

/** @param paragraphs each is a line or several */
function mailOf(subject: string, ...paragraphs: readonly (string | readonly string[])[]): MailText {
  return { subject, text: `${paragraphs.map((lines) => [lines].flat().join('\n')).join('\n\n')}\n` };
}

/** In all mails, token, code and email are in the link's fragment, so servers on the way do not see them. */
function linkTo(publicBaseUrl: string, page: string, fragment: Readonly<Record<string, string>>): string {
  const link = new URL(page, publicBaseUrl);
  link.hash = new URLSearchParams(fragment).toString();
  return link.href;
}

/** Paragraph on using a token without the page that the link leads to. */
function withoutPage(publicBaseUrl: string, sentence: string, path: string, token: string): readonly string[] {
  return [sentence, `${new URL(`/api/public/market-state/account/auth/${path}`, publicBaseUrl).href}:`, token];
}

export function resetMail(publicBaseUrl: string, token: string): MailText {
  return mailOf(
    'Reset your Market-State password',
    'Somebody, probably you, requested a new password for your Market-State account.',
    [`Set it here within ${RESET_LIFE_MINUTES} minutes:`, linkTo(publicBaseUrl, '/reset', { reset_token: token })],
    withoutPage(publicBaseUrl, 'Or send this reset token with the new password to', 'password-reset/confirm', token),
    'The link works once, and only the newest one is valid. If you did not request this, ignore this mail: your password stays the same.',
  );
}

function claimMail(publicBaseUrl: string, email: string, token: string): MailText {
  return mailOf(
    'Open your Market-State account',
    'Somebody, probably you, requested a Market-State account for this email.',
    [`Open it here within ${EMAIL_CLAIM_LIFE_HOURS} hours:`, linkTo(publicBaseUrl, '/claim', { claim_token: token, email })],
    withoutPage(publicBaseUrl, 'Or send this claim token with the email and a password to', 'claim', token),
    'The link works once. If you did not request this, ignore this mail: no account is created until the link is used.',
  );
}

function emailChangeMail(publicBaseUrl: string, code: string): MailText {
  return mailOf(
    'Confirm the new email of your Market-State account',
    'Somebody, probably you, wants to use this email for a Market-State account.',
    [
      `To confirm it, open this link within ${EMAIL_CHANGE_LIFE_MINUTES} minutes in the browser in which you are logged in:`,
      linkTo(publicBaseUrl, '/account', { email_code: code }),
    ],
    ['Or enter this code on your account page:', code],
    'The code works once, and only the newest one is valid. If you did not expect this, ignore this mail: nothing changes.',
  );
}

function emailTakenMail(): MailText {
  return mailOf(
    'This email already has a Market-State account',
    'Somebody tried to use this email for another Market-State account. It already has one, so nothing was changed.',
    'If this was you, choose another email. If this was not you, ignore this mail.',
  );
}

function changeRequestedMail(publicBaseUrl: string): MailText {
  return mailOf(
    'A new email was requested for your Market-State account',
    'Somebody, probably you, requested to change the email of your Market-State account.',
    'This email stays in use until the new one is confirmed.',
    ['If this was not you, set a new password, which ends every session of the account:', new URL('/reset', publicBaseUrl).href],
  );
}

function emailChangedMail(): MailText {
  return mailOf(
    'The email of your Market-State account was changed',
    'Your Market-State account has a new email. This one can no longer log in or reset the password.',
    'If this was not you, contact the operator of this service.',
  );
}

const ROLE_WORDS: Readonly<Record<MemberRole, string>> = {
  owner: 'an owner: you can do everything, including managing the team and its billing',
  member: 'a member: you can do everything except managing the team and its billing',
  read_only: 'a read-only member: you can see everything except secrets, and change nothing',
};

function inviterOf({ invitedBy }: Invitation): string {
  return invitedBy ?? 'The owner of a team';
}

function invitationMail(publicBaseUrl: string, invitation: Invitation, token: string): MailText {
  const link = linkTo(publicBaseUrl, '/join', { invitation_token: token, email: invitation.email });
  return mailOf(
    'You are invited to a Market-State team',
    `${inviterOf(invitation)} invites you to a team on Market-State as ${ROLE_WORDS[invitation.role]}.`,
    [`Choose a password and join here within ${INVITATION_LIFE_DAYS} days:`, link],
    withoutPage(publicBaseUrl, 'Or send this invitation token with a password to', 'invitation/accept', token),
    'The link works once. If you did not expect this, ignore this mail: no account is created until the link is used.',
  );
}

function invitedWithAccountMail(invitation: Invitation): MailText {
  return mailOf(
    'A Market-State team invited your email',
    `${inviterOf(invitation)} invites you to a team on Market-State. An account belongs to one team, and this email already has an account.`,
    'To join, ask for an invitation to another email, or change the email of your account first and ask again.',
    'If you did not expect this, ignore this mail: nothing changes.',
  );
}

function accountExistsMail(publicBaseUrl: string): MailText {
  return mailOf(
    'You already have a Market-State account',
    'Somebody, probably you, tried to open a Market-State account with this email. It already has one, so nothing was changed.',
    ['Log in with your password. If you forgot it, set a new one here:', new URL('/reset', publicBaseUrl).href],
    'If this was not you, ignore this mail.',
  );
}
