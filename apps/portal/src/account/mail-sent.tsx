import type { Schemas } from '@market-state/client';

interface MailSentProps {
  readonly to: Schemas['MailDelivery'] | undefined;
  readonly email: string;
  /** Absent where a mail is sent in any case. */
  readonly onlyToAccounts?: boolean;
}

/** Where the mail with a link is, by how this installation delivers mail. */
export function MailSent({ to, email, onlyToAccounts = false }: MailSentProps) {
  const mail = onlyToAccounts ? `If ${email} has an account, a mail with a link` : `A mail with a link for ${email}`;
  return to === 'outbox_folder'
    ? `This installation has no mail server. ${mail} is in its outbox folder, which the start of the service names.`
    : `${mail} is on its way.`;
}
