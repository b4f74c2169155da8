import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, credentials, Metadata, type ServiceError as GrpcError } from '@grpc/grpc-js';
import { createLogger } from '@market-state/logging';
import { callerFileText, callerTokens, tokenIdentity, openIdentity, startGrpcServer, createHealth, bindService } from '../src';
import { echoDefinition } from './echo-service';
import { CALLERS, closeAll, connect, identityOf, SERVICES, startEcho } from './harness';

afterEach(closeAll);

const OTHER_INSTALLATION = Buffer.alloc(32, 8);

async function startCounted() {
  let reached = 0;
  const lines: string[] = [];
  const { server } = await startEcho(
    {
      echo: async ({ text }) => {
        reached += 1;
        return { text };
      },
      async *repeat({ text }) {
        reached += 1;
        yield { text };
      },
    },
    { logger: createLogger('test', { level: 'trace', destination: { write: (line) => void lines.push(line) } }) },
  );
  return { address: server.address, reached: () => reached, lines };
}

/** Calls without a client identity, as an unrelated local program would. */
function bareCall(address: string, header: string | undefined, method: 'echo' | 'echoOnce' = 'echo'): Promise<number> {
  const client = new Client(address, credentials.createInsecure());
  const metadata = new Metadata();
  if (header !== undefined) metadata.set('authorization', header);
  return new Promise((resolve) => {
    client.makeUnaryRequest(
      echoDefinition[method].path,
      echoDefinition[method].requestSerialize,
      echoDefinition[method].responseDeserialize,
      { text: 'x' },
      metadata,
      (error: GrpcError | null) => {
        client.close();
        resolve(error === null ? 0 : error.code);
      },
    );
  });
}

const UNAUTHENTICATED = 16;

test.each([
  ['no header', undefined],
  ['an empty header', ''],
  ['no scheme', 'friend'],
  ['a short token', 'Bearer friend.AAAA'],
  ['a wrong token', `Bearer friend.${'A'.repeat(43)}`],
  ['an unknown service', `Bearer unknown.${'A'.repeat(43)}`],
])('%s reaches no handler', async (_name, header) => {
  const { address, reached } = await startCounted();
  expect(await bareCall(address, header)).toBe(UNAUTHENTICATED);
  expect(reached()).toBe(0);
});

test('another installation, a token for another server and a method not allowed reach no handler, as calls and as streams', async () => {
  const { address, reached } = await startCounted();
  const stranger = connect(address, { deadlineMs: 30_000, peer: identityOf('stranger').to('server') });
  const foreign = connect(address, { deadlineMs: 30_000, peer: identityOf('friend', OTHER_INSTALLATION).to('server') });
  const elsewhere = connect(address, { deadlineMs: 30_000, peer: identityOf('friend').to('stranger') });
  const [unproved, refused] = [
    { code: 'UNAUTHENTICATED', reason: 'caller_not_proved' },
    { code: 'PERMISSION_DENIED', reason: 'caller_not_allowed' },
  ];
  for (const [client, refusal] of [
    [stranger, refused],
    [foreign, unproved],
    [elsewhere, unproved],
  ] as const) {
    await expect(client.call.echo({ text: 'x' })).rejects.toMatchObject(refusal);
    await expect(client.call.repeat({ text: 'x' })[Symbol.asyncIterator]().next()).rejects.toMatchObject(refusal);
  }
  expect(reached()).toBe(0);
  expect(await connect(address).call.echo({ text: 'x' })).toEqual({ text: 'x' });
  expect(reached()).toBe(1);
});

test('a token that was seen opens its method for a minute at most, and no other method', async () => {
  const { address } = await startCounted();
  const seenAt = (agoMs: number): string => {
    const metadata = new Metadata();
    const tokens = callerTokens(Buffer.alloc(32, 7), 'friend', SERVICES);
    tokenIdentity(tokens, () => Date.now() - agoMs)
      .to('server')
      .prove(metadata, echoDefinition.echo.path);
    return String(metadata.get('authorization')[0]);
  };
  expect(await bareCall(address, seenAt(0))).toBe(0);
  expect(await bareCall(address, seenAt(0), 'echoOnce')).toBe(UNAUTHENTICATED);
  expect(await bareCall(address, seenAt(60_000))).toBe(UNAUTHENTICATED);
  expect(await bareCall(address, seenAt(-90_000))).toBe(UNAUTHENTICATED);
});

test('a token that has opened its method before ends with its time, and another one is never taken for it', () => {
  const madeMs = 1_800_000_000_000;
  const { path } = echoDefinition.echo;
  let nowMs = madeMs;
  const server = tokenIdentity(callerTokens(Buffer.alloc(32, 7), 'server', SERVICES), () => nowMs);
  const callerAt = (atMs: number, change: (token: string) => string = (token) => token): string | undefined => {
    nowMs = atMs;
    const metadata = new Metadata();
    tokenIdentity(callerTokens(Buffer.alloc(32, 7), 'friend', SERVICES), () => madeMs)
      .to('server')
      .prove(metadata, path);
    metadata.set('authorization', change(String(metadata.get('authorization')[0])));
    return server.callerOf({ metadata, path, certificate: undefined });
  };
  const seen = [madeMs, madeMs + 1, madeMs + 30_000, madeMs + 60_000, madeMs].map((atMs) => callerAt(atMs));
  expect(seen).toEqual(['friend', 'friend', 'friend', undefined, 'friend']);
  expect(callerAt(madeMs, (token) => token.replace(/.$/, (last) => (last === 'A' ? 'E' : 'A')))).toBeUndefined();
  expect(callerAt(madeMs, (token) => token.replace('friend', 'stranger'))).toBeUndefined();
});

test('a refused caller is logged by name, and no token is', async () => {
  const { address, lines } = await startCounted();
  await expect(
    connect(address, { deadlineMs: 30_000, peer: identityOf('stranger').to('server') }).call.echo({ text: 'x' }),
  ).rejects.toBeDefined();
  const secret = `Bearer friend.${'Zq'.repeat(21)}Z`;
  await bareCall(address, secret);
  expect(lines.filter((line) => line.includes('call refused before its handler'))).toHaveLength(2);
  expect(lines.some((line) => line.includes('"caller":"stranger"'))).toBe(true);
  expect(lines.join('')).not.toContain(secret.slice(-43));
});

test('a server refuses to start if a method has no listed callers', async () => {
  const short = Object.fromEntries(Object.entries(CALLERS).filter(([path]) => path !== echoDefinition.repeat.path));
  const services = [
    bindService(echoDefinition, {
      echo: async (request) => request,
      echoOnce: async (request) => request,
      repeat: async function* (request) {
        yield request;
      },
    }),
  ];
  const starting = startGrpcServer({
    address: '127.0.0.1:0',
    identity: identityOf('server'),
    callers: short,
    health: createHealth(),
    services,
    logger: createLogger('test', { level: 'silent' }),
  });
  await expect(starting).rejects.toThrow(/EchoService\/Repeat/);
});

test('a token file is valid for one service and one installation; errors for an unusable one name RPC_TOKEN_FILE without its content', () => {
  const folder = mkdtempSync(join(tmpdir(), 'caller-tokens-'));
  try {
    const file = join(folder, 'server.json');
    const logger = createLogger('test', { level: 'silent' });
    const open = (service = 'server') => openIdentity(service, { kind: 'token', tokenFile: file }, { logger });
    expect(open).toThrow(/RPC_TOKEN_FILE: cannot be read: ENOENT/);
    writeFileSync(file, 'hunter2');
    expect(open).toThrow(/RPC_TOKEN_FILE: is not a file of caller tokens/);
    const tokens = callerTokens(OTHER_INSTALLATION, 'server', SERVICES);
    writeFileSync(file, callerFileText(tokens));
    expect(open().service).toBe('server');
    expect(() => open('friend')).toThrow(/RPC_TOKEN_FILE: is the file of server, not of friend/);
    expect(() => callerTokens(Buffer.alloc(31), 'server', SERVICES)).toThrow(/32 bytes/);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
