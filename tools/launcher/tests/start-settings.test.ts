import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portIsFree } from '../src/free-port';
import { readStartSettings, startHelp, mailLine } from '../src/start-settings';

test.each([
  ['without a mail server', {}, 'saved as files in .data/outbox, including password resets (to send mail, set SMTP_URL and MAIL_FROM)'],
  ["into the operator's folder", { OUTBOX_DIR: '/srv/mail' }, expect.stringContaining('saved as files in /srv/mail,')],
  ['by a mail server', { SMTP_URL: 'smtp://user:secret@mail.example' }, 'sent by the mail server of SMTP_URL'],
  ['by a mail server with its URL in a file', { SMTP_URL_FILE: '/smtp' }, 'sent by the mail server of SMTP_URL'],
])('the start says where mail goes: %s', (_where, settings, line) => {
  expect(mailLine(settings, '.data')).toEqual(line);
});

test('npm start starts without arguments, prints its settings with --help, and rejects any other argument', () => {
  expect(startHelp([])).toBeUndefined();
  expect(startHelp(['--help'])).toBe(startHelp(['-h']));
  expect(() => startHelp(['--port', '8080'])).toThrow('npm start takes no arguments; unexpected: --port 8080.');
  expect(() => startHelp(['--help', '--port'])).toThrow('unexpected: --help --port');
});

test('the settings named in the help are read', () => {
  const source = ['start-settings.ts', 'system/feeds.ts']
    .map((file) => readFileSync(join(import.meta.dirname, '../src', file), 'utf8'))
    .join();
  const named = [...(startHelp(['-h']) ?? '').matchAll(/^ {2}([A-Z_]+) /gm)].map(([, name]) => name);
  expect(named).toEqual(['PORT', 'DATA_DIR', 'FEED']);
  for (const name of named) expect(source).toContain(name);
});

async function listenOn(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

test('an explicit port that is in use is rejected with a message', async () => {
  const server = await listenOn(0);
  const { port } = server.address() as AddressInfo;
  await expect(readStartSettings({ PORT: String(port) }, () => undefined)).rejects.toThrow(`Port ${port} is in use.`);
  server.close();
});

test.each(['0', '65536', '80x', '-1'])('rejects PORT=%s', async (PORT) => {
  await expect(readStartSettings({ PORT }, () => undefined)).rejects.toThrow('PORT must be a number from 1 to 65535');
});

test('every wrong setting of npm start is named at once', async () => {
  const wrong = { PORT: 'x', SYMBOLS_REFRESH_MINUTES: '0', FEED: 'nope', FEED_FILE: 'x' };
  const refusal = await readStartSettings(wrong, () => undefined, { checksFeeds: true }).catch((error: Error) => error.message);
  for (const name of Object.keys(wrong)) expect(refusal).toMatch(new RegExp(`^${name}\\b`, 'm'));
  await expect(readStartSettings({ PORT: 'x' }, () => undefined, { checksFeeds: true })).rejects.toThrow(/^PORT must.*"x"\.$/);
});

test('the default port is 8080; if it is in use, the next free one is used and reported', async () => {
  const holder = (await portIsFree(8080, '0.0.0.0')) ? await listenOn(8080) : undefined;
  const said: string[] = [];
  const { port } = await readStartSettings({}, (line) => said.push(line));
  expect(port).toBeGreaterThan(8080);
  expect(said).toEqual([`Port 8080 is in use; using ${port} instead.`]);
  holder?.close();
});

test('the processes see their own settings and none of our other variables', async () => {
  const env = {
    FEED: 'recording',
    FEED_SPEED: '20',
    SYMBOLS: 'BTCUSD-PERP',
    LOG_LEVEL: 'warn',
    SECRET: 'x',
    npm_config_key: 'y',
    PATH: '/bin',
  };
  const { settings } = await readStartSettings(env, () => undefined);
  expect(settings).toEqual({ FEED: 'recording', FEED_SPEED: '20', SYMBOLS: 'BTCUSD-PERP', LOG_LEVEL: 'warn', PATH: '/bin' });
});

test('stores named in the environment are used', async () => {
  const given = { DATABASE_URL: 'postgresql://a@b/c', REDIS_URL: 'redis://d' };
  expect((await readStartSettings(given, () => undefined)).stores).toEqual({
    databaseUrl: given.DATABASE_URL,
    migrationDatabaseUrl: undefined,
    redisUrl: given.REDIS_URL,
  });
});

test("no process inherits a database URL, nor the owner's", async () => {
  const { stores, settings } = await readStartSettings(
    { DATABASE_URL: 'postgresql://app@b/c', MIGRATION_DATABASE_URL: 'postgresql://owner@b/c' },
    () => undefined,
  );
  expect(stores).toMatchObject({ databaseUrl: 'postgresql://app@b/c', migrationDatabaseUrl: 'postgresql://owner@b/c' });
  expect(settings).toEqual({});
});
