import { secretVariable } from '@market-state/config';
import { z } from 'zod';
import type { MailConfig } from './transport';

/** Environment variables of a process that sends mail. */
export const mailVariables = {
  SMTP_URL: secretVariable(z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })).optional(),
  MAIL_FROM: z.string().optional(),
  OUTBOX_DIR: z.string().optional(),
};

type MailVariables = z.output<z.ZodObject<typeof mailVariables>>;

/** Reports `SMTP_URL` without `MAIL_FROM`. For `superRefine`. */
export function requireMailSender({ SMTP_URL: url, MAIL_FROM: from }: MailVariables, context: z.RefinementCtx): void {
  if (url === undefined || from !== undefined) return;
  context.addIssue({ code: 'custom', path: ['MAIL_FROM'], message: 'must be set if SMTP_URL is set' });
}

/** Undefined if neither a server nor a folder is configured. */
export function mailConfigOf({
  SMTP_URL: smtpUrl,
  MAIL_FROM: from = 'market-state@localhost',
  OUTBOX_DIR: folder,
}: MailVariables): MailConfig | undefined {
  if (smtpUrl !== undefined) return { from, to: { smtpUrl } };
  return folder === undefined ? undefined : { from, to: { folder } };
}
