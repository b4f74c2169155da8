import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { silentLogger } from '@market-state/logging';
import { createPool } from '@market-state/postgres';
import { startStores, type TestStores } from '@market-state/testing';
import type { Pool } from 'pg';
import { SMTPServer } from 'smtp-server';
import { addMail } from '../src/mail/outbox';
import { sendMail } from '../src/mail/send-mail';
import { createMailTransport, type MailTransport } from '@market-state/mail';
import type { MailKind } from '../src/store/generated/tables';
import { takeMail } from '../src/store/mails';

const START_MS = Date.UTC(2026, 0, 5);
const HOUR_MS = 3_600_000;

let stores: TestStores;
let pool: Pool;
let server: SMTPServer;
let transport: MailTransport;
let replyCode = 550;
let nowMs = START_MS;

beforeAll(async () => {
  stores = await startStores({ services: ['account'] });
  pool = createPool({ url: stores.postgresUrl('account'), logger: silentLogger(), applicationName: 'mail' });
  server = new SMTPServer({
    authOptional: true,
    hideSTARTTLS: true,
    onRcptTo: (_address, _session, done) => done(Object.assign(new Error('refused'), { responseCode: replyCode })),
  });
  server.listen(0, '127.0.0.1');
  await once(server.server, 'listening');
  const { port } = server.server.address() as AddressInfo;
  transport = createMailTransport({ from: 'service@example.org', to: { smtpUrl: `smtp://127.0.0.1:${port}` } }, () => nowMs);
});
afterAll(async () => {
  transport.close();
  await new Promise<void>((resolve) => server.close(() => resolve()));
  await pool.end();
  await stores.stop();
});
beforeEach(async () => {
  nowMs = START_MS;
  await pool.query('DELETE FROM outbox_mail');
});

const add = (kind: MailKind, email = 'somebody@example.org') => addMail(pool, kind, email, { nowMs, randomBytes });
const send = () =>
  sendMail({ pool, transport, publicBaseUrl: 'https://market-state.example', clock: () => nowMs, randomBytes, logger: silentLogger() });
const waitingTotal = async (): Promise<number> => (await pool.query('SELECT FROM outbox_mail')).rowCount ?? 0;

test('a mail that the server refuses for good is tried once', async () => {
  replyCode = 550;
  await add('claim');
  expect(await send()).toBe(true);
  expect(await waitingTotal()).toBe(0);
  expect(await send()).toBe(false);
});

test('one that it cannot take now is tried again, a claim for two hours', async () => {
  replyCode = 450;
  await add('claim');
  let tries = 0;
  for (; (await waitingTotal()) > 0; nowMs += 60_000) if (await send()) tries += 1;
  expect(tries).toBeGreaterThan(10);
  expect(nowMs).toBeGreaterThan(START_MS + 1.8 * HOUR_MS);
  expect(nowMs).toBeLessThan(START_MS + 2.2 * HOUR_MS);
});

test('a reset goes before claims that wait longer', async () => {
  for (let mail = 0; mail < 5; mail += 1) await add('claim', `stranger-${mail}@example.org`);
  nowMs += 1_000;
  await add('reset', 'owner@example.org');
  expect(await takeMail(pool, nowMs, 60_000)).toMatchObject({ kind: 'reset', email: 'owner@example.org' });
  expect(await takeMail(pool, nowMs, 60_000)).toMatchObject({ kind: 'claim' });
});
