import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import type { MailConfig } from '../config';

export interface MailText {
  readonly subject: string;
  readonly text: string;
}

const STEP_LIMIT_MS = 10_000;

export interface MailTransport {
  /** Resolves once the mail is accepted. `id` is unique per mail. */
  send(id: string, to: string, mail: MailText): Promise<void>;
  close(): void;
}

/** Sends to a mail server, or writes one file per mail to a folder, named to sort by time. */
export function createMailTransport({ from, to: target }: MailConfig, clock: () => number): MailTransport {
  return 'smtpUrl' in target ? toServer(target.smtpUrl, from) : toFolder(target.folder, from, clock);
}

/** Maximum bytes in a line of an unencoded mail, without the line break (RFC 5322). */
const LINE_BYTES_MAX = 998;

/**
 * Sends ASCII text unencoded. nodemailer would encode lines over 76 characters as quoted-printable, which breaks links in the message
 * source.
 */
function keepLines(transporter: Transporter): void {
  transporter.use('stream', ({ data, message }, done) => {
    const text = String(data.text);
    const fits = /^[\n\x20-\x7e]*$/.test(text) && text.split('\n').every((line) => line.length <= LINE_BYTES_MAX);
    if (fits) message.getTransferEncoding = () => '7bit';
    done();
  });
}

function toServer(url: string, from: string): MailTransport {
  const server = createTransport({
    url,
    connectionTimeout: STEP_LIMIT_MS,
    greetingTimeout: STEP_LIMIT_MS,
    socketTimeout: STEP_LIMIT_MS,
    dnsTimeout: STEP_LIMIT_MS,
  });
  keepLines(server);
  return {
    async send(_id, to, mail) {
      await server.sendMail({ from, to: { name: '', address: to }, ...mail });
    },
    close: () => server.close(),
  };
}

function toFolder(folder: string, from: string, clock: () => number): MailTransport {
  const writer = createTransport({ streamTransport: true, buffer: true });
  keepLines(writer);
  return {
    async send(id, to, mail) {
      const { message } = await writer.sendMail({ from, to: { name: '', address: to }, ...mail });
      if (!Buffer.isBuffer(message)) throw new Error('a mail was only partly written');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date(clock()).toISOString().replaceAll(':', '-')}-${id}.eml`;
      await writeFile(join(folder, `.${name}.part`), message, { mode: 0o600 });
      await rename(join(folder, `.${name}.part`), join(folder, name));
    },
    close: () => writer.close(),
  };
}
