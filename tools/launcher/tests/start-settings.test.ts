import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { portIsFree } from '../src/free-port';
import { readStartSettings, startHelp, mailLine } from '../src/start-settings';

test.each([
  ['without a mail server', {}, 'a file each in .data/outbox, password resets included (no mail server: set SMTP_URL and MAIL_FROM)'],
  ['into a folder of the operator', { OUTBOX_DIR: '/srv/mail' }, expect.stringContaining('a file each in /srv/mail,')],
  ['by a mail server', { SMTP_URL: 'smtp://user:secret@mail.example' }, 'sent by the mail server of SMTP_URL'],
  ['by a mail server whose URL is in a file', { SMTP_URL_FILE: '/smtp' }, 'sent by the mail server of SMTP_URL'],
])('the start says where mail goes: %s', (_where, settings, line) => {
  expect(mailLine(settings, '.data')).toEqual(line);
});

test('npm start starts without arguments, says its settings when asked for help, and refuses every other argument', () => {
  expect(startHelp([])).toBeUndefined();
  expect(startHelp(['--help'])).toBe(startHelp(['-h']));
  expect(() => startHelp(['--port', '8080'])).toThrow('npm start takes no arguments, and was given --port 8080.');
  expect(() => startHelp(['--help', '--port'])).toThrow('was given --help --port');
});

test('the settings that help names are read', () => {
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

test('a port that was asked for and is taken is refused in a sentence', async () => {
  const server = await listenOn(0);
  const { port } = server.address() as AddressInfo;
  await expect(readStartSettings({ PORT: String(port) }, () => undefined)).rejects.toThrow(`Port ${port} is taken.`);
  server.close();
});

test.each(['0', '65536', '80x', '-1'])('PORT=%s is refused', async (PORT) => {
  await expect(readStartSettings({ PORT }, () => undefined)).rejects.toThrow('PORT must be a number from 1 to 65535');
});

test('the usual port is 8080; when that is taken, the next free one is used and a line says so', async () => {
  const holder = (await portIsFree(8080, '0.0.0.0')) ? await listenOn(8080) : undefined;
  const said: string[] = [];
  const { port } = await readStartSettings({}, (line) => said.push(line));
  expect(port).toBeGreaterThan(8080);
  expect(said).toEqual([`Port 8080 is taken: using ${port}.`]);
  holder?.close();
});

test('the processes see their own settings and no other variable of ours', async () => {
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

test('stores that are named in the environment are used', async () => {
  const given = { DATABASE_URL: 'postgresql://a@b/c', REDIS_URL: 'redis://d' };
  expect((await readStartSettings(given, () => undefined)).stores).toEqual({
    databaseUrl: given.DATABASE_URL,
    migrationDatabaseUrl: undefined,
    redisUrl: given.REDIS_URL,
  });
});

test('no process inherits a URL of a database, nor that of the owner', async () => {
  const { stores, settings } = await readStartSettings(
    { DATABASE_URL: 'postgresql://app@b/c', MIGRATION_DATABASE_URL: 'postgresql://owner@b/c' },
    () => undefined,
  );
  expect(stores).toMatchObject({ databaseUrl: 'postgresql://app@b/c', migrationDatabaseUrl: 'postgresql://owner@b/c' });
  expect(settings).toEqual({});
});
