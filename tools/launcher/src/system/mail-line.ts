/** Where mail of this installation goes, as `npm start` prints it. `data` is its data folder. */
export function mailLine({ SMTP_URL: smtpUrl, SMTP_URL_FILE: smtpFile, OUTBOX_DIR: outboxDir }: NodeJS.ProcessEnv, data: string): string {
  if (smtpUrl || smtpFile) return 'sent by the mail server of SMTP_URL';
  return `a file each in ${outboxDir || `${data}/outbox`}, password resets included (no mail server: set SMTP_URL and MAIL_FROM)`;
}
