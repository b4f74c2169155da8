import { mkdir, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createTransport, type Transporter } from 'nodemailer';
import { secretVariable } from '@market-state/config';
import { z } from 'zod';

export const mailVariables = {
  SMTP_URL: secretVariable(z.url({ protocol: /^smtps?$/, error: 'must be an smtp:// or smtps:// URL' })).optional(),
  MAIL_FROM: z.string().optional(),
  OUTBOX_DIR: z.string().optional(),
};

type MailVariables = z.output<z.ZodObject<typeof mailVariables>>;

/** For `superRefine`. */
export function requireMailSender({ SMTP_URL: url, MAIL_FROM: from }: MailVariables, context: z.RefinementCtx): void {
  if (url === undefined || from !== undefined) return;
  context.addIssue({ code: 'custom', path: ['MAIL_FROM'], message: 'must be set if SMTP_URL is set' });
}

export function mailConfigOf({
  SMTP_URL: smtpUrl,
  MAIL_FROM: from = 'market-state@localhost',
  OUTBOX_DIR: folder,
}: MailVariables): MailConfig | undefined {
  if (smtpUrl !== undefined) return { from, to: { smtpUrl } };
  return folder === undefined ? undefined : { from, to: { folder } };
}

export interface MailConfig {
  readonly from: string;
  /** `smtp:` or `smtps:` URL, or a folder that receives one file per mail. */
  readonly to: { readonly smtpUrl: string } | { readonly folder: string };
}

export interface MailText {
  readonly subject: string;
  readonly text: string;
  readonly headers?: Readonly<Record<string, string>>;
}

const STEP_LIMIT_MS = 10_000;

export interface MailTransport {
  /** Resolves once the mail is accepted. `id` is unique per mail. */
  send(id: string, to: string, mail: MailText): Promise<void>;
  close(): void;
}

/** Files in a folder are named to sort by time. */
export function createMailTransport({ from, to: target }: MailConfig, clock: () => number): MailTransport {
  return 'smtpUrl' in target ? toServer(target.smtpUrl, from) : toFolder(target.folder, from, clock);
}

/** Maximum bytes in a line of an unencoded mail, without the line break (RFC 5322). */
const LINE_BYTES_MAX = 998;

/** nodemailer would encode lines over 76 characters as quoted-printable, which breaks links in the message source. */
function keepLines(transporter: Transporter): void {
  transporter.use('stream', ({ data, message }, done) => {
    const text = String(data.text);
    const fits = /^[\n\x20-\x7e]*$/.test(text) && text.split('\n').every((line) => line.length <= LINE_BYTES_MAX);
    if (fits) message.getTransferEncoding = () => '7bit';
    done();
  });
}

/** A recipient as an object is never parsed, so it cannot become several. */
function messageOf(from: string, to: string, { subject, text, headers }: MailText) {
  return { from, to: { name: '', address: to }, subject, text, ...(headers && { headers: { ...headers } }) };
}

/** True for a permanent failure to send: a 5xx reply or an invalid recipient. */
export function isMailRefused(error: unknown): boolean {
  const { code, responseCode = 0 } = error as { readonly code?: string; readonly responseCode?: number };
  return responseCode >= 500 ? responseCode < 600 : responseCode === 0 && code === 'EENVELOPE';
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
      await server.sendMail(messageOf(from, to, mail));
    },
    close: () => server.close(),
  };
}

function toFolder(folder: string, from: string, clock: () => number): MailTransport {
  const writer = createTransport({ streamTransport: true, buffer: true });
  keepLines(writer);
  return {
    async send(id, to, mail) {
      const { message } = await writer.sendMail(messageOf(from, to, mail));
      if (!Buffer.isBuffer(message)) throw new Error('a mail was only partly written');
      await mkdir(folder, { recursive: true, mode: 0o700 });
      const name = `${new Date(clock()).toISOString().replaceAll(':', '-')}-${id}.eml`;
      await writeFile(join(folder, `.${name}.part`), message, { mode: 0o600 });
      await rename(join(folder, `.${name}.part`), join(folder, name));
    },
    close: () => writer.close(),
  };
}
