import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { SMTPServer } from 'smtp-server';
import { createMailTransport, isMailRefused, type MailText } from './index';

const token = 'T'.repeat(43);

/** A mail with a link whose fragment has these fields. */
function linkMail(base: string, path: string, fields: Readonly<Record<string, string>>): MailText {
  const link = new URL(path, base);
  link.hash = new URLSearchParams(fields).toString();
  return { subject: 'Reset your Market-State password', text: ['Set it here:', link.href, '', 'Or ignore this mail.', ''].join('\n') };
}

const resetMail = (base: string, reset: string): MailText => linkMail(base, '/reset', { reset_token: reset });
const claimMail = (base: string, email: string, claim: string): MailText => linkMail(base, '/claim', { claim_token: claim, email });

const mail = resetMail('https://market-state.example/under/a/path', token);
const from = 'market-state@market-state.example';

describe('a mail server', () => {
  const received: { from: string; to: string[]; user: string | undefined; source: string }[] = [];
  let refusing = false;
  const server = new SMTPServer({
    authOptional: false,
    allowInsecureAuth: true,
    disabledCommands: ['STARTTLS'],
    onAuth: ({ username, password }, _session, done) =>
      password === 'opensesame' ? done(null, { user: username ?? '' }) : done(new Error('no')),
    onRcptTo: (_address, _session, done) => (refusing ? done(Object.assign(new Error('later'), { responseCode: 450 })) : done()),
    onData(stream, session, done) {
      void text(stream).then((source) => {
        const { mailFrom, rcptTo } = session.envelope;
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          user: session.user,
          source,
        });
        done();
      });
    },
  });
  let port = 0;

  beforeAll(async () => {
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    port = (server.server.address() as AddressInfo).port;
  });
  afterAll(() => new Promise<void>((resolve) => server.close(resolve)));

  test('gets the mail, with user and password of its URL', async () => {
    const transport = createMailTransport({ from, to: { smtpUrl: `smtp://mailer:opensesame@127.0.0.1:${port}` } }, Date.now);
    await transport.send('mail_1', 'someone@example.org', mail);
    transport.close();
    expect(received).toHaveLength(1);
    expect(received[0]).toMatchObject({ from, to: ['someone@example.org'], user: 'mailer' });
    expect(received[0]?.source).toContain('Subject: Reset your Market-State password');
    expect(received[0]?.source).toContain(token);
  });

  test('that refuses is a failure, which does not name the password', async () => {
    refusing = true;
    const transport = createMailTransport({ from, to: { smtpUrl: `smtp://mailer:opensesame@127.0.0.1:${port}` } }, Date.now);
    const failed = await transport.send('mail_2', 'someone@example.org', mail).then(
      () => '',
      (error: Error) => `${error.message} ${JSON.stringify(error)}`,
    );
    transport.close();
    expect(failed).toContain('later');
    expect(failed).not.toContain('opensesame');
    expect(received).toHaveLength(1);
  });

  test('that is not there is a failure', async () => {
    const transport = createMailTransport({ from, to: { smtpUrl: 'smtp://127.0.0.1:1' } }, Date.now);
    await expect(transport.send('mail_3', 'someone@example.org', mail)).rejects.toThrow('ECONNREFUSED');
    transport.close();
  });
});

/** Decodes a mail's text by its transfer encoding. */
function decoded(source: string): string {
  const [head = '', ...body] = source.split(/\r?\n\r?\n/);
  const text = body.join('\n\n');
  if (!/^Content-Transfer-Encoding: quoted-printable/im.test(head)) return text;
  return text.replace(/=\r?\n/g, '').replace(/=([0-9A-F]{2})/g, (_whole, code: string) => String.fromCharCode(Number.parseInt(code, 16)));
}

describe('a folder', () => {
  const temporary = mkdtempSync(join(tmpdir(), 'outbox-'));
  const folder = join(temporary, 'not', 'there', 'yet');
  afterAll(() => rmSync(temporary, { recursive: true }));

  test('gets links whole, each on a line of its own, as they are and after decoding', async () => {
    const links = join(temporary, 'links');
    const base = 'https://market-state.example.org/behind/a/long/path/of/a/proxy';
    const email = `someone+${'x'.repeat(100)}=y@example.org`;
    const transport = createMailTransport({ from, to: { folder: links } }, Date.now);
    await transport.send('reset', 'someone@example.org', resetMail(base, token));
    await transport.send('claim', 'someone@example.org', claimMail(base, email, token));
    transport.close();
    const sources = readdirSync(links).map((name) => readFileSync(join(links, name), 'utf8'));
    const linkOf = (name: string): string => `${base.slice(0, base.indexOf('/behind'))}/${name}#`;
    const expected = [
      `${linkOf('reset')}${new URLSearchParams({ reset_token: token })}`,
      `${linkOf('claim')}${new URLSearchParams({ claim_token: token, email })}`,
    ];
    for (const read of [(source: string) => source, decoded])
      expect(
        sources
          .map(read)
          .flatMap((mail) => mail.split(/\r?\n/))
          .filter((line) => line.includes('#'))
          .toSorted(),
      ).toEqual(expected.toSorted());
  });

  test('gets one file for each mail, for its owner alone to read', async () => {
    const transport = createMailTransport({ from, to: { folder } }, () => Date.UTC(2026, 0, 2, 3, 4, 5));
    await transport.send('mail_1-1', 'someone@example.org', mail);
    await transport.send('mail_2-1', 'someone\r\nBcc: everyone@example.org', mail).catch(() => undefined);
    transport.close();
    const [name = ''] = readdirSync(folder);
    expect(name).toBe('2026-01-02T03-04-05.000Z-mail_1-1.eml');
    expect(statSync(join(folder, name)).mode & 0o777).toBe(0o600);
    const source = readFileSync(join(folder, name), 'utf8');
    expect(source).toMatch(/^From: market-state@market-state\.example\r?$/m);
    expect(source).toMatch(/^To: someone@example\.org\r?$/m);
    for (const other of readdirSync(folder)) expect(readFileSync(join(folder, other), 'utf8')).not.toMatch(/^Bcc:/im);
  });
});

test('a mail has the headers that are named, and a subject adds none', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'headers-'));
  const transport = createMailTransport({ from, to: { folder } }, Date.now);
  await transport.send('one', 'someone@example.org', {
    subject: 'a\r\nBcc: b@example.org',
    text: 'text',
    headers: { 'Auto-Submitted': 'auto-generated' },
  });
  transport.close();
  const [name = ''] = readdirSync(folder);
  const source = readFileSync(join(folder, name), 'utf8');
  expect(source).toMatch(/^Auto-Submitted: auto-generated\r?$/m);
  expect(source).not.toMatch(/^Bcc:/im);
  rmSync(folder, { recursive: true });
});

test.each([
  [{ responseCode: 550 }, true],
  [{ responseCode: 450, code: 'EENVELOPE' }, false],
  [{ code: 'EENVELOPE' }, true],
  [{ code: 'ECONNREFUSED' }, false],
])('%j is permanent: %s', (error, isPermanent) => expect(isMailRefused(error)).toBe(isPermanent));
