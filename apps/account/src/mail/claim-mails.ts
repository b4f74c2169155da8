import { EMAIL_CLAIM_LIFE_HOURS } from '../accounts/email-claim';
import type { MailText } from './reset-mail';

/** The mail with a claim token. Token and email are behind a `#`, so that no server on the way to the page sees them. */
export function claimMail(publicBaseUrl: string, email: string, token: string): MailText {
  const link = new URL('/claim', publicBaseUrl);
  link.hash = new URLSearchParams({ claim_token: token, email }).toString();
  return {
    subject: 'Open your Market-State account',
    text: [
      'Somebody, most likely you, asked for a Market-State account with this email.',
      '',
      `Open it here within ${EMAIL_CLAIM_LIFE_HOURS} hours:`,
      link.href,
      '',
      'Or send this claim token with the email and a password to',
      `${new URL('/api/public/market-state/account/auth/claim', publicBaseUrl).href}:`,
      token,
      '',
      'It works once. If you did not ask, do nothing: there is no account until the link is used.',
      '',
    ].join('\n'),
  };
}

/** The mail to an email that has an account, after somebody tried to open another with it. */
export function accountExistsMail(publicBaseUrl: string): MailText {
  return {
    subject: 'You have a Market-State account already',
    text: [
      'Somebody, most likely you, tried to open a Market-State account with this email. It has one already, so nothing was changed.',
      '',
      'Log in with its password. If you no longer know it, choose a new one here:',
      new URL('/reset', publicBaseUrl).href,
      '',
      'If it was not you, do nothing.',
      '',
    ].join('\n'),
  };
}
