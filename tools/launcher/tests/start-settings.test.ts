import { once } from 'node:events';
import { createServer } from 'node:net';
import type { AddressInfo, Server } from 'node:net';
import { portIsFree } from '../src/free-port';
import { readStartSettings } from '../src/start-settings';

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
