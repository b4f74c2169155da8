import { waitUntil } from '@market-state/testing';
import { openSecret } from '@market-state/webhook-signing';
import { readUnsubscribeToken } from '../../src/destinations/email-consent';
import { alertData, type DestinationsUnderTest, openDestinations, PORTAL } from './destinations-under-test';
import { type MailServer, startMailServer } from './mail-server';

const HOUR_MS = 3_600_000;
const WINDOW = `${PORTAL}/replay?symbol=BTCUSD-PERP&at=2026-11-29T12%3A00%3A09.999Z`;

let server: MailServer;
let test_: DestinationsUnderTest;

beforeAll(async () => {
  server = await startMailServer();
  test_ = await openDestinations({ mail: { from: 'alerts@market-state.example', to: { smtpUrl: server.smtpUrl } } });
}, 60_000);
afterEach(async () => {
  await test_.reset();
  server.reset();
}, 60_000);
afterAll(async () => {
  await test_.close();
  await server.close();
}, 60_000);

const alert = (phase: 'triggered' | 'recovered', name?: string) => ({ symbol: 'BTCUSD-PERP', data: alertData(phase, name) });
const delivered = (total: number) => waitUntil(`${total} deliveries`, async () => (await test_.statuses())['delivered'] === total);
const requestTest = (endpointId: string) =>
  test_.report(1, { eventKind: 'webhook.test', onlyEndpointId: endpointId, credits: 0, data: { endpoint_id: endpointId } });
/** Moves the clock to the start of an hour, so that no boundary falls into a test. */
function startOfHour(): void {
  test_.time.shiftMs = HOUR_MS - (Date.now() % HOUR_MS) + 1_000;
}

test('an alert is a plain mail with the window, and messages of one episode are one thread', async () => {
  await test_.add('email', { email: 'ops@example.org' });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(1);
  await test_.report(1, alert('recovered'));
  await delivered(2);
  const [first, second] = server.mails;
  expect(first?.to).toBe('ops@example.org');
  for (const line of [
    'From: alerts@market-state.example',
    'To: ops@example.org',
    'Subject: [Market-State] stress: BTCUSD-PERP triggered',
    'Auto-Submitted: auto-generated',
    'References: <ep_1@market-state>',
    'Condition: severity is high context (0.8235); threshold: elevated context',
    `Open this window: ${WINDOW}`,
  ])
    expect(first?.source).toContain(`${line}\n`);
  expect(second?.source).toContain('References: <ep_1@market-state>\n');
  await waitUntil('the credits', () => test_.ledger.charged.size === 2);
});

test('an alert has a signed link to unsubscribe, for people and for one click in mail programs; a code has none', async () => {
  const endpointId = await test_.add('email', { email: 'ops@example.org' });
  await test_.add('email', { email: 'new@example.org', status: 'test_pending', isConfirmed: false }).then(requestTest);
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('both mails', () => server.mails.length === 2);
  const source = (to: string): string => server.mails.find((mail) => mail.to === to)?.source.replaceAll('\n ', ' ') ?? '';
  const [, token = ''] =
    /^List-Unsubscribe: <https:\/\/market-state\.example\/api\/public\/market-state\/unsubscribe\/(\S+)>$/m.exec(
      source('ops@example.org'),
    ) ?? [];
  expect(readUnsubscribeToken(test_.keys, token)).toEqual({ endpointId, urlRevision: 1 });
  expect(source('ops@example.org')).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click\n');
  expect(source('ops@example.org')).toContain(`unsubscribe: ${PORTAL}/unsubscribe#unsubscribe_token=${token}\n`);
  expect(source('new@example.org')).not.toContain('nsubscribe');
});

test('a name cannot add recipients or headers', async () => {
  await test_.add('email', { email: 'ops@example.org' });
  await test_.startWorker();
  await test_.report(1, alert('triggered', 'x\r\nBcc: victim@example.org\r\n\r\nbody'));
  await delivered(1);
  const [head = ''] = server.mails[0]?.source.split('\n\n') ?? [];
  expect(head).not.toMatch(/^Bcc:/im);
});

test('an address that is not confirmed gets a code, which is stored sealed, and nothing else', async () => {
  const endpointId = await test_.add('email', { email: 'ops@example.org', status: 'test_pending', isConfirmed: false });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await requestTest(endpointId);
  await delivered(1);
  expect(server.mails).toHaveLength(1);
  const code = /^(\d{8})$/m.exec(server.mails[0]?.source ?? '')?.[1] ?? '';
  expect(server.mails[0]?.source).toContain('Subject: Confirm this address for Market-State alerts');
  const { rows } = await test_.pool.query<{ all: string; sealed: string; status: string }>(
    `SELECT endpoint::text AS all, confirmation ->> 'sealed' AS sealed, status FROM endpoint WHERE endpoint_id = $1`,
    [endpointId],
  );
  expect(rows[0]?.status).toBe('test_pending');
  expect(rows[0]?.all).not.toContain(code);
  expect(openSecret(rows[0]?.sealed ?? '', { keys: test_.keys, endpointId })).toBe(code);
  const messages = await test_.pool.query<{ all: string }>(`SELECT string_agg(message::text, '') AS all FROM message`);
  expect(messages.rows[0]?.all).not.toContain(code);
});

test('an address gets three codes a day, whichever tenants request them', async () => {
  const tenants = ['ten_a', 'ten_b', 'ten_c', 'ten_d'];
  const ids: string[] = [];
  for (const [index, tenantId] of tenants.entries()) {
    const email = index === 1 ? 'OPS@example.org' : 'ops@example.org';
    ids.push(await test_.add('email', { email, status: 'test_pending', isConfirmed: false, tenantId }));
  }
  await test_.startWorker();
  for (const [index, tenantId] of tenants.entries())
    await test_.report(1, { eventKind: 'webhook.test', onlyEndpointId: ids[index] ?? '', credits: 0, data: {}, tenantId });
  await waitUntil('the last receipt', async () => (await test_.receipts()).length === 4);
  expect(server.mails).toHaveLength(3);
  const [limited] = (await test_.receipts()).filter(({ outcome }) => outcome !== 'ok');
  expect(limited).toMatchObject({
    outcome: 'mail_limit',
    next: null,
    reason: expect.stringContaining('at most 3 confirmation codes a day') as string,
  });
});

test('a confirmed address goes live by a test, which is no code', async () => {
  const endpointId = await test_.add('email', { email: 'ops@example.org', status: 'test_pending' });
  await test_.startWorker();
  await requestTest(endpointId);
  await waitUntil('live', async () => (await test_.endpointOf(endpointId))?.status === 'live');
  expect(server.mails[0]?.source).toContain('Subject: [Market-State] Test from Market-State');
});

test('beyond sixty mails in an hour the rest waits for the next hour, without losing attempts', async () => {
  startOfHour();
  const endpointId = await test_.add('email', { email: 'ops@example.org' });
  await test_.pool.query(`INSERT INTO mail_count VALUES ('tenant ten_one', $1, 58)`, [
    Math.floor((Date.now() + test_.time.shiftMs) / HOUR_MS) * HOUR_MS,
  ]);
  await test_.startWorker();
  await test_.report(5, alert('triggered'));
  await delivered(2);
  await waitUntil('the wait', async () => {
    const { rows } = await test_.pool.query(`SELECT FROM delivery WHERE status = 'waiting' AND claimed_ms IS NULL AND due_ms % $1 = 0`, [
      HOUR_MS,
    ]);
    return rows.length === 3;
  });
  await requestTest(endpointId);
  await waitUntil('the limited test', async () => (await test_.receipts()).some(({ outcome }) => outcome === 'mail_limit'));
  expect(server.mails).toHaveLength(2);
  test_.time.shiftMs += HOUR_MS;
  await delivered(5);
  const { rows } = await test_.pool.query<{ attempts: number }>(
    `SELECT DISTINCT attempts FROM delivery WHERE event_kind = 'alert.triggered'`,
  );
  expect(rows).toEqual([{ attempts: 1 }]);
  expect(test_.ledger.charged.size).toBe(5);
}, 30_000);

test('an address that the mail server does not know is disabled at once', async () => {
  const endpointId = await test_.add('email', { email: 'gone@example.org' });
  server.replies.push({ at: 'RCPT TO', code: 550 });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await waitUntil('the end', async () => (await test_.endpointOf(endpointId))?.status === 'disabled');
  expect(await test_.endpointOf(endpointId)).toEqual({ status: 'disabled', disabled_reason: 'destination_refused' });
  expect((await test_.receipts())[0]).toMatchObject({
    outcome: 'mail_refused',
    snippet: expect.stringContaining('no such user') as string,
  });
});

test('a refusal of the sender is not the fault of the address, which stays live', async () => {
  const endpointId = await test_.add('email', { email: 'ops@example.org' });
  server.replies.push({ at: 'MAIL FROM', code: 550 }, { at: 'MAIL FROM', code: 450 });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(1);
  expect((await test_.receipts()).map(({ outcome }) => outcome)).toEqual(['mail_unavailable', 'mail_unavailable', 'ok']);
  expect((await test_.endpointOf(endpointId))?.status).toBe('live');
});

test('a mail that is refused for now is sent again, one that is refused for good is not', async () => {
  const endpointId = await test_.add('email', { email: 'ops@example.org' });
  server.replies.push({ at: 'RCPT TO', code: 450 }, { at: 'DATA', code: 451 });
  await test_.startWorker();
  await test_.report(1, alert('triggered'));
  await delivered(1);
  expect((await test_.receipts()).map(({ outcome }) => outcome)).toEqual(['mail_deferred', 'mail_deferred', 'ok']);
  server.replies.push({ at: 'DATA', code: 554 });
  await test_.report(1, alert('recovered'));
  await waitUntil('the end', async () => (await test_.statuses())['exhausted'] === 1);
  expect((await test_.endpointOf(endpointId))?.status).toBe('live');
});

/** Uses up the tenant's mails of this hour. */
const useUpMails = () =>
  test_.pool.query(`INSERT INTO mail_count VALUES ('tenant ten_one', $1, 60)`, [
    Math.floor((Date.now() + test_.time.shiftMs) / HOUR_MS) * HOUR_MS,
  ]);

test('beyond the limit of the hour a test in a digest ends, and its alerts wait for the next hour', async () => {
  startOfHour();
  const endpointId = await test_.add('email', { email: 'ops@example.org', digestMinutes: 10 });
  await test_.report(3, alert('triggered'));
  test_.time.shiftMs += 10 * 60_000;
  await requestTest(endpointId);
  await useUpMails();
  await test_.startWorker();
  await waitUntil('the limited test', async () => (await test_.receipts()).length === 1);
  await waitUntil('the wait', async () => {
    const { rows } = await test_.pool.query(`SELECT FROM delivery WHERE status = 'waiting' AND claimed_ms IS NULL AND due_ms % $1 = 0`, [
      HOUR_MS,
    ]);
    return rows.length === 3;
  });
  expect((await test_.receipts())[0]).toMatchObject({ outcome: 'mail_limit', next: null });
  test_.time.shiftMs += HOUR_MS;
  await delivered(3);
  expect(server.mails).toHaveLength(1);
}, 30_000);

test('the credit of a mail that waits is returned once, even if the wait must be written again', async () => {
  startOfHour();
  await test_.add('email', { email: 'ops@example.org' });
  await useUpMails();
  test_.ledger.give(1);
  // A sequence is not rolled back: only the first release of a claim fails.
  await test_.asOwner(`
    CREATE SEQUENCE releases;
    GRANT ALL ON SEQUENCE releases TO PUBLIC;
    CREATE FUNCTION fail_first_release() RETURNS trigger LANGUAGE plpgsql AS
      $$ BEGIN IF nextval('releases') = 1 THEN RAISE 'not now'; END IF; RETURN NEW; END $$;
    CREATE TRIGGER fail_first_release BEFORE UPDATE ON delivery FOR EACH ROW
      WHEN (OLD.claimed_by IS NOT NULL AND NEW.claimed_by IS NULL) EXECUTE FUNCTION fail_first_release()`);
  try {
    await test_.startWorker();
    await test_.report(1, alert('triggered'));
    await waitUntil('the second release', async () => {
      const { rows } = await test_.pool.query<{ last: string }>('SELECT last_value AS last FROM releases WHERE is_called');
      return Number(rows[0]?.last) >= 2;
    });
    expect(test_.ledger.left()).toBe(1);
  } finally {
    await test_.asOwner('DROP TRIGGER fail_first_release ON delivery; DROP FUNCTION fail_first_release; DROP SEQUENCE releases');
  }
}, 30_000);

test('a digest is one mail', async () => {
  startOfHour();
  await test_.add('email', { email: 'ops@example.org', digestMinutes: 10 });
  await test_.startWorker();
  await test_.report(12, alert('triggered'));
  test_.time.shiftMs += 10 * 60_000;
  await delivered(12);
  expect(server.mails).toHaveLength(1);
  expect(server.mails[0]?.source).toContain('Subject: [Market-State] 12 messages about BTCUSD-PERP');
}, 30_000);

test('without a mail server nothing is sent, and the receipt says why', async () => {
  const alone = await openDestinations();
  try {
    await alone.add('email', { email: 'ops@example.org' });
    await alone.startWorker();
    await alone.report(1, alert('triggered'));
    await waitUntil('a receipt', async () => (await alone.receipts()).length > 0);
    expect((await alone.receipts())[0]).toMatchObject({
      outcome: 'mail_unavailable',
      reason: expect.stringContaining('SMTP_URL') as string,
    });
  } finally {
    await alone.close();
  }
}, 60_000);
