import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { waitUntil } from '@market-state/testing';

interface SentMail {
  readonly to: string;
  readonly subject: string;
  readonly text: string;
}

/** Mails in a folder, oldest first. */
export function readMails(folder: string): SentMail[] {
  return readdirSync(folder)
    .filter((name) => name.endsWith('.eml'))
    .sort()
    .map((name) => {
      const source = readFileSync(join(folder, name), 'utf8').replaceAll('\r\n', '\n');
      return {
        to: /^To: (.*)$/m.exec(source)?.[1] ?? '',
        subject: /^Subject: (.*)$/m.exec(source)?.[1] ?? '',
        text: source.slice(source.indexOf('\n\n') + 2),
      };
    });
}

/** Waits for the first mail to an email with this subject. */
export function mailTo(folder: string, email: string, subject: string): Promise<SentMail> {
  return waitUntil(`a mail to ${email}`, () => readMails(folder).find((mail) => mail.to === email && mail.subject === subject) ?? false);
}
