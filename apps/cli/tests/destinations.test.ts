import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useRecordingService } from './recording-service';

const ID = `we_${'0'.repeat(26)}`;
const RECORD = { webhook_id: ID, kind: 'slack', status: 'test_pending', email: null, confirmed_at_utc: null, secret: null };
const ATTEMPT = { outcome: 'ok', duration_ms: 41, reason: null };

const service = useRecordingService();

test('a credential is read from a file, and neither printed nor an argument', async () => {
  service.answer = RECORD;
  writeFileSync(join(service.place.folder, 'slack.txt'), 'https://hooks.slack.com/services/T1/B1/token\n');
  const { exitCode, lines, stderr } = await service.place.run(
    'destinations',
    'create',
    'slack',
    '--secret-file',
    'slack.txt',
    '--digest',
    '15',
  );
  expect({ exitCode, lines }).toEqual({ exitCode: 0, lines: [ID] });
  expect(service.sent[0]).toEqual({
    call: 'POST /webhooks',
    body: { kind: 'slack', event_kinds: ['alert.triggered'], digest_minutes: 15, url: 'https://hooks.slack.com/services/T1/B1/token' },
  });
  expect(stderr).toContain(`destinations test ${ID}`);
  expect(stderr).not.toContain('token');
});

test('a webhook prints its signing secret on a line of its own', async () => {
  service.answer = { ...RECORD, kind: 'webhook', secret: 'whsec_x' };
  const { lines } = await service.place.run('destinations', 'create', 'webhook', '--address', 'https://hooks.example.com/');
  expect(lines).toEqual([ID, 'whsec_x']);
});

test('every missing option is named at once', async () => {
  const { exitCode, stderr } = await service.place.run('destinations', 'create', 'telegram', '--symbols', 'btc', '--digest', '2000');
  expect(exitCode).toBe(2);
  for (const part of ['--chat', '--secret-file', 'BTCUSD-PERP', '--digest']) expect(stderr).toContain(part);
  expect(service.sent).toEqual([]);
});

test('a test prints the status, and fails with the reason', async () => {
  service.answer = { webhook: { ...RECORD, status: 'live' }, succeeded: true, attempt: ATTEMPT };
  expect(await service.place.run('destinations', 'test', ID)).toMatchObject({ exitCode: 0, lines: ['live'] });
  service.answer = { webhook: RECORD, succeeded: false, attempt: { ...ATTEMPT, outcome: 'status_404', reason: 'Slack refuses messages' } };
  const failed = await service.place.run('destinations', 'test', ID);
  expect(failed).toMatchObject({ exitCode: 3, lines: ['test_pending'] });
  expect(failed.stderr).toContain('status_404 after 41 ms: Slack refuses messages');
});

test('an email is tested, confirmed and deleted', async () => {
  service.answer = { webhook: { ...RECORD, kind: 'email', email: 'desk@example.org' }, succeeded: true, attempt: ATTEMPT };
  expect((await service.place.run('destinations', 'test', ID)).stderr).toContain(`destinations confirm ${ID} <code>`);
  service.answer = { ...RECORD, status: 'live' };
  expect(await service.place.run('destinations', 'confirm', ID, '12345678')).toMatchObject({ exitCode: 0, lines: ['live'] });
  expect((await service.place.run('destinations', 'confirm', ID, 'abc')).exitCode).toBe(2);
  expect((await service.place.run('destinations', 'delete', ID)).exitCode).toBe(0);
  expect(service.sent.map(({ call }) => call)).toEqual([
    `POST /webhooks/${ID}/test`,
    `POST /webhooks/${ID}/confirm`,
    `DELETE /webhooks/${ID}`,
  ]);
});

test('the list has no secrets and says where messages go', async () => {
  service.answer = {
    webhooks: [{ ...RECORD, url: 'https://hooks.slack.com/services/T1/B1/…', event_kinds: ['alert.triggered'] }],
    row_total: 1,
    next_cursor: null,
  };
  const { exitCode, lines } = await service.place.run('destinations', 'list', '--output', 'ndjson');
  expect(exitCode).toBe(0);
  expect(JSON.parse(lines[0] ?? '{}')).toMatchObject({ webhook_id: ID, kind: 'slack' });
});
