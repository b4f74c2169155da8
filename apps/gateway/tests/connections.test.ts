import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { connect, type Socket } from 'node:net';
import { waitUntil } from '@market-state/testing';
import { Problem } from '../src/serving/errors/problem';
import { sendProblem } from '../src/serving/http/send';
import { listen as openTo } from '../src/serving/server/listen';
import { createMatchedApp, SERVER_LIMITS, type ServerAccess, type ServerLimits } from '../src/serving/server/matched-server';
import { http } from './stand-in/http-client';

const WAIT_MS_MAX = 60_000;

/** Short enough for a test, yet long enough for the good caller, which shares the server's process. */
const QUICK: Partial<ServerLimits> = {
  headersTimeoutMs: 1_500,
  requestTimeoutMs: 2_000,
  connectionsCheckingIntervalMs: 20,
  keepAliveTimeoutMs: 500,
  stalledTimeoutMs: 2_000,
};
/** More than socket buffers hold. */
const LARGE = Buffer.alloc(32 * 1_048_576);
const HEAD = 'HTTP/1.1\r\nHost: localhost\r\n';

/** A peer that never closes and never reads. */
function silentPeer(port: number, bytes: string, localAddress?: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true, ...(localAddress === undefined ? {} : { localAddress }) });
  socket.on('error', () => undefined);
  socket.pause();
  return new Promise((resolve, reject) => {
    socket.once('error', reject);
    socket.once('connect', () => (bytes === '' ? resolve(socket) : socket.write(bytes, () => resolve(socket))));
  });
}

/** Bytes sent by peers, by test name. */
const PEERS = [
  ['send nothing', ''],
  ['send half a head', `GET /good ${HEAD}X-Slow:`],
  ['send half a body', `POST /refused ${HEAD}Content-Length: 10\r\n\r\nhalf`],
  ['send no HTTP', 'NONSENSE\r\n\r\n'],
  ['send a head that is too large', `GET / ${HEAD}X-Long: ${'a'.repeat(17_000)}`],
  ['have an answer and keep alive', `GET /good ${HEAD}\r\n`],
  ['have an answer that closes', `GET /good ${HEAD}Connection: close\r\n\r\n`],
  ['are refused without being read', `POST /refused ${HEAD}Content-Length: 100000\r\n\r\n`],
  ['take nothing of a large answer', `GET /large ${HEAD}\r\n`],
  ['take nothing of a large answer that closes', `GET /large ${HEAD}Connection: close\r\n\r\n`],
  ['break a large answer that they do not take', `GET /large ${HEAD}\r\nNONSENSE\r\n\r\n`],
  ['name another service', 'GET /good HTTP/1.1\r\nHost: evil.example\r\n\r\n'],
  ['expect what is not met', `GET /good ${HEAD}Expect: foo\r\n\r\n`],
  ['wait for an answer that does not come', `GET /never ${HEAD}\r\n`],
] as const;

const ESTABLISHED = '01';

function kernelAddress(port: number | undefined): string {
  return `0100007F:${(port ?? 0).toString(16).toUpperCase().padStart(4, '0')}`;
}

/**
 * Kernel states of peers' connections to a port. The kernel lists connections in several reads, so that one may be
 * repeated or missing in a single listing: states are kept by peer, over three listings.
 */
function statesTo(port: number, peers: readonly Socket[]): string[] {
  const own = new Set(peers.map(({ localPort }) => kernelAddress(localPort)));
  const states = new Map<string, string>();
  for (let listing = 0; listing < 3; listing += 1)
    for (const line of readFileSync('/proc/net/tcp', 'utf8').split('\n')) {
      const [, from = '', to, state = ''] = line.trim().split(/\s+/);
      if (to === kernelAddress(port) && own.has(from)) states.set(from, state);
    }
  return [...states.values()];
}

function countOf(values: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const value of values) counts[value] = (counts[value] ?? 0) + 1;
  return counts;
}

/** Server with routes that answer, refuse and never end. */
async function open(limits: Partial<ServerLimits>, access?: ServerAccess): Promise<{ readonly server: Server; readonly port: number }> {
  const { app, createServer } = createMatchedApp();
  app.get('/good', (_req, res) => void res.end('good'));
  app.get('/large', (_req, res) => void res.end(LARGE));
  app.get('/never', () => undefined);
  app.post('/refused', (_req, res) =>
    sendProblem(res, 'r', new Problem('payload_too_large', 'Too large.', { headers: { Connection: 'close' } })),
  );
  const server = createServer(limits, access);
  return { server, port: (await openTo(server, 0, '127.0.0.1')).port };
}

function connectionTotal(server: Server): Promise<number> {
  return new Promise((resolve, reject) => server.getConnections((error, count) => (error === null ? resolve(count) : reject(error))));
}

const noneLeft = (server: Server): Promise<unknown> =>
  waitUntil('no connection is left', async () => (await connectionTotal(server)) === 0);

async function expectServedAt(port: number): Promise<void> {
  expect(await http(`http://127.0.0.1:${port}/good`)).toMatchObject({ status: 200, text: 'good' });
}

async function close(server: Server, peers: readonly Socket[]): Promise<void> {
  for (const peer of peers) peer.destroy();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

/** Expects peers that send these bytes to be destroyed while a good caller is served. */
async function expectDestroyed(bytes: string): Promise<void> {
  const { server, port } = await open(QUICK);
  const peers = await Promise.all(Array.from({ length: 5 }, () => silentPeer(port, bytes)));
  await expectServedAt(port);
  await noneLeft(server);
  await expectServedAt(port);
  await close(server, peers);
}

describe('peers that never close', () => {
  /** They wait for the same limits, so they run concurrently, each kind on its own server. */
  let destroyed: ReadonlyMap<string, PromiseSettledResult<void>>;
  beforeAll(async () => {
    const results = await Promise.allSettled(PEERS.map(([, bytes]) => expectDestroyed(bytes)));
    destroyed = new Map(results.map((result, index) => [PEERS[index]?.[0] ?? '', result]));
  });

  it.each(PEERS.map(([name]) => name))('that %s are destroyed while a good caller is served', (name) => {
    expect(destroyed.get(name)).toEqual({ status: 'fulfilled', value: undefined });
  });
});

describe('connections whose peers never close', () => {
  let server: Server;
  let port: number;
  let peers: Socket[];

  async function listen(limits: Partial<ServerLimits>, access?: ServerAccess): Promise<void> {
    ({ server, port } = await open(limits, access));
    peers = [];
  }

  afterEach(() => close(server, peers));

  const total = (): Promise<number> => connectionTotal(server);
  const none = (): Promise<unknown> => noneLeft(server);
  const expectServed = (): Promise<void> => expectServedAt(port);

  (process.platform === 'linux' ? it : it.skip)('all permitted connections fit in the backlog while the event loop is busy', async () => {
    await listen({ connectionsPerAddressMax: 2_000 });
    const room = Math.min(SERVER_LIMITS.connectionsMax, Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8')));
    for (let count = 0; count < room; count += 1) peers.push(connect({ port, host: '127.0.0.1' }).on('error', () => undefined));
    // Connects within this tick, in which the server accepts none: only the kernel answers.
    await new Promise((resolve) => process.nextTick(resolve));
    expect(countOf(statesTo(port, peers))).toEqual({ [ESTABLISHED]: room });
    await waitUntil('each is let in', async () => (await total()) === room);
    for (const peer of peers) peer.destroy();
    await none();
  });

  it('are destroyed after the requests that one connection may make', async () => {
    await listen({
      ...QUICK,
      keepAliveTimeoutMs: WAIT_MS_MAX,
      stalledTimeoutMs: WAIT_MS_MAX,
      requestTimeoutMs: WAIT_MS_MAX,
      headersTimeoutMs: WAIT_MS_MAX,
      requestsPerSocketMax: 3,
    });
    peers = await Promise.all(Array.from({ length: 20 }, () => silentPeer(port, `GET /good ${HEAD}\r\n`.repeat(5))));
    await none();
  });

  it('cannot shut others out: those beyond the total are closed at once, and all make room in time', async () => {
    const refused: string[] = [];
    await listen(
      { ...QUICK, headersTimeoutMs: 2_000, requestTimeoutMs: 2_000, connectionsMax: 50 },
      { publicHosts: [], isProxy: () => false, onRefused: (reason) => refused.push(reason) },
    );
    peers = await Promise.all(Array.from({ length: 60 }, () => silentPeer(port, '')));
    await waitUntil('ten are refused', () => refused.length === 10);
    expect(new Set(refused)).toEqual(new Set(['total']));
    expect(await total()).toBe(50);
    await none();
    await expectServed();
  });

  it('have a share for each address, which a trusted proxy does not have', async () => {
    const refused: string[] = [];
    const isProxy = (address: string): boolean => address === '127.0.0.9';
    await listen({ connectionsPerAddressMax: 5 }, { publicHosts: [], isProxy, onRefused: (reason) => refused.push(reason) });
    peers = await Promise.all(Array.from({ length: 5 }, () => silentPeer(port, '', '127.0.0.2')));
    await waitUntil('all are connected', async () => (await total()) === 5);
    const beyond = connect({ port, host: '127.0.0.1', localAddress: '127.0.0.2' }).on('error', () => undefined);
    await once(beyond, 'close');
    expect(refused).toEqual(['address']);
    await expectServed();
    peers.push(...(await Promise.all(Array.from({ length: 20 }, () => silentPeer(port, '', '127.0.0.9')))));
    await waitUntil('those of the proxy are connected', async () => (await total()) === 25);
    peers.shift()?.destroy();
    await waitUntil('one place is free', async () => (await total()) === 24);
    peers.push(await silentPeer(port, '', '127.0.0.2'));
    await waitUntil('it is taken', async () => (await total()) === 25);
    expect(refused).toEqual(['address']);
  });

  it('have limits that keep to the rules', async () => {
    await listen({});
    expect(server).toMatchObject({ maxConnections: 2_000, timeout: 0 });
    expect(SERVER_LIMITS.stalledTimeoutMs).toBe(60_000);
    expect(SERVER_LIMITS.connectionsPerAddressMax).toBe(200);
  });
});
