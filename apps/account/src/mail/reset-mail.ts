import { RESET_LIFE_MINUTES } from '../accounts/reset-token';

/** A mail as text. */
export interface MailText {
  readonly subject: string;
  readonly text: string;
}

/** The mail with a reset token. The token stands behind a `#`, so that no server on the way to the page sees it. */
export function resetMail(publicBaseUrl: string, token: string): MailText {
  const link = new URL('/reset', publicBaseUrl);
  link.hash = `reset_token=${token}`;
  return {
    subject: 'Reset your Market-State password',
    text: [
      'Somebody, most likely you, asked for a new password for your Market-State account.',
      '',
      `Choose it here within ${RESET_LIFE_MINUTES} minutes:`,
      link.href,
      '',
      'Or send this reset token with the new password to',
      `${new URL('/api/public/market-state/account/auth/password-reset/confirm', publicBaseUrl).href}:`,
      token,
      '',
      'It works once, and only the newest one works. If you did not ask, do nothing: your password stays as it is.',
      '',
    ].join('\n'),
  };
}
