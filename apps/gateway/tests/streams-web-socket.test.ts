import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { setImmediate as letOthersRun } from 'node:timers/promises';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { openStream, type StreamMessage } from './stand-in/event-stream';
import { createGrowingLog, type GrowingLog } from './stand-in/growing-log';
import { packetRecord } from './stand-in/packet-record';
import { content, ends } from './stand-in/stream-messages';
import { HANDSHAKE, handshake, type OpenedSocket, openSocket, refusedSocket } from './stand-in/web-socket';

const SYMBOL = 'BTCUSD-PERP';
const STREAM = `/api/public/data/stream?symbol=${SYMBOL}&channels=book,trades,context`;
const PACKETS = `/api/public/market-state/stream?symbol=${SYMBOL}`;

type Headers = Readonly<Record<string, string>>;

const isOpen = (messages: readonly StreamMessage[]): boolean => messages.length > 0;

const hasRow = (ordinal: number) => (messages: readonly StreamMessage[]) => {
  const last = messages.findLast(({ event }) => event === 'row');
  return last !== undefined && (JSON.parse(last.data) as { sequence: number }).sequence >= ordinal;
};

describe('a stream over WebSocket', () => {
  let booted: BootedGateway;
  let log: GrowingLog;

  beforeEach(async () => {
    booted = await bootGateway();
    log = createGrowingLog(booted.dataPlane.rows, SYMBOL);
    log.append(50);
  });
  afterEach(() => booted.close());

  const keyed = (key = booted.key) => ({ 'x-market-state-api-key': key });
  const open = (path = STREAM, key?: string): Promise<OpenedSocket> => openSocket(booted.gateway.url + path, keyed(key));
  const refused = (path: string, headers: Headers = keyed()) => refusedSocket(booted.gateway.url + path, headers);
  const connectionTotal = (): Promise<number> =>
    new Promise((resolve, reject) => {
      booted.gateway.server.getConnections((error, total) => (error === null ? resolve(total) : reject(error)));
    });

  /** Answer to raw bytes, once the connection is closed. */
  async function answerTo(bytes: string): Promise<string> {
    const socket = connect(booted.gateway.port, '127.0.0.1');
    const chunks: Buffer[] = [];
    socket.on('data', (chunk: Buffer) => chunks.push(chunk));
    socket.write(bytes);
    await once(socket, 'close');
    return Buffer.concat(chunks).toString('utf8');
  }

  it('sends the messages of server-sent events, one text each, with the same ids, bytes and charge', async () => {
    const [a, b] = ['ten_events', 'ten_socket'].map((tenantId) => {
      booted.account.credits.grant(tenantId, 1_000);
      return booted.account.issue({ tenantId, keyId: `key_${tenantId}` });
    });
    const events = await openStream(booted.gateway.url + STREAM, keyed(a));
    const socket = await open(STREAM, b);
    await Promise.all([events.until(isOpen), socket.until(isOpen)]);
    log.append(220);
    await Promise.all([events.until(hasRow(270)), socket.until(hasRow(270))]);
    expect(socket.messages[0]).toMatchObject({ event: 'heartbeat', lastEventId: expect.stringMatching(/^1-50-\d+$/) });
    expect(content(socket.messages)).toEqual(content(events.messages));
    expect(content(socket.messages).length).toBeGreaterThan(220);
    expect(socket.texts.every((text) => text.startsWith('{"id":'))).toBe(true);
    events.cut();
    socket.cut();
    await booted.until(() => booted.account.credits.spent('ten_events') > 0 && booted.gateway.streams.open.total() === 0);
    await booted.until(() => booted.account.credits.spent('ten_socket') === booted.account.credits.spent('ten_events'));
  });

  it('answers the handshake with the headers of any answer, and no extension or protocol', async () => {
    const socket = await openSocket(booted.gateway.url + STREAM, {
      ...keyed(),
      'x-request-id': 'same',
      'sec-websocket-protocol': 'a,,a',
    });
    expect(socket.headers).toMatchObject({ 'x-request-id': 'same', 'strict-transport-security': expect.any(String) });
    expect(Object.keys(socket.headers).some((name) => name.startsWith('ratelimit'))).toBe(true);
    expect(socket.socket.extensions).toBe('');
    expect(socket.headers['sec-websocket-protocol']).toBeUndefined();
    socket.cut();
  });

  it('sends packets too, but only to a key or to a session on a page of its own origin', async () => {
    const cookie = `${SESSION_COOKIE}=${booted.account.openSession()}`;
    const windowEndMs = lastWindowEndMs() + 10_000;
    const pages: Headers[] = [{ origin: booted.gateway.url, cookie }, { cookie }, keyed(), { origin: 'https://evil.example', ...keyed() }];
    const sockets = await Promise.all(pages.map((headers) => openSocket(booted.gateway.url + PACKETS, headers)));
    await Promise.all(sockets.map((socket) => socket.until(isOpen)));
    booted.labeling.push(packetRecord(SYMBOL, windowEndMs));
    await Promise.all(sockets.map((socket) => socket.until((messages) => messages.some(({ event }) => event === 'packet'))));
    expect(new Set(sockets.map(({ texts }) => texts.find((text) => text.includes('"event":"packet"')))).size).toBe(1);
    const others: Headers[] = [
      { origin: 'https://evil.example', cookie },
      { origin: 'null', cookie },
      { 'sec-fetch-site': 'cross-site', cookie },
      { 'sec-fetch-site': 'same-site', origin: 'https://evil.example', cookie },
    ];
    for (const headers of others)
      expect([headers, await refused(PACKETS, headers)]).toMatchObject([headers, { status: 403, body: { code: 'csrf_refused' } }]);
    for (const socket of sockets) socket.cut();
  });

  it('resumes after `last_event_id` of the URL with nothing lost or repeated, however often it is cut', async () => {
    const whole = await open();
    await whole.until(isOpen);
    let last = whole.messages[0]?.lastEventId ?? '';
    const collected: string[] = [];
    for (let cut = 0; cut < 5; cut += 1) {
      const socket = await open(`${STREAM}&last_event_id=${encodeURIComponent(last)}`);
      log.append(40);
      await socket.until((messages) => content(messages).length >= 10 + cut);
      socket.cut();
      const kept = socket.texts.filter((text) => /"event":"(row|gap)"/.test(text)).slice(0, 7 + cut);
      collected.push(...kept);
      last = (JSON.parse(kept.at(-1) ?? '') as { id: string }).id;
    }
    const rest = await open(STREAM.replace('?', `?last_event_id=${last}&`));
    await Promise.all([whole.until(hasRow(log.last())), rest.until(hasRow(log.last()))]);
    const rows = ({ texts }: OpenedSocket): string[] => texts.filter((text) => /"event":"(row|gap)"/.test(text));
    expect([...collected, ...rows(rest)]).toEqual(rows(whole));
    whole.cut();
    rest.cut();
  });

  it('refuses before it begins as server-sent events do, with a problem, and leaves no connection', async () => {
    booted.dataPlane.rows.forget(30);
    const cases = [
      [`${STREAM}&last_event_id=abc`, 422],
      [`${STREAM}&last_event_id=%zz`, 422],
      [`${STREAM}&last_event_id=1-50-0&last_event_id=1-50-0`, 422],
      [`${STREAM}&last_event_id=1-10-0`, 410],
      [`${STREAM}&nope=1`, 422],
      ['/api/public/data/stream?symbol=XYZUSD-PERP', 404],
    ] as const;
    for (const [path, status] of cases) expect([path, (await refused(path)).status]).toEqual([path, status]);
    const away = await refused(STREAM, {});
    expect([away.status, away.headers['content-type'], away.body]).toMatchObject([
      401,
      'application/problem+json; charset=utf-8',
      { code: 'unauthenticated' },
    ]);
    expect((await refused(STREAM, keyed(booted.account.issue({ scopes: [] })))).status).toBe(403);
    for (const path of ['/livez', '/', '//', '//x/api/public/data/stream', '/api/public/data/stream/', '/api/public/market-state/latest'])
      expect([path, await refused(path)]).toMatchObject([path, { status: 404, body: { code: 'not_found' } }]);
    await booted.until(async () => (await connectionTotal()) === 0);
    expect([booted.gateway.streams.open.total(), booted.account.credits.spent('ten_1')]).toEqual([0, 0]);
  });

  it('refuses handshakes that are malformed, and leaves other upgrades to HTTP', async () => {
    const key = `x-market-state-api-key: ${booted.key}`;
    const good = [...HANDSHAKE, key];
    const without = (name: string, ...further: string[]): string =>
      handshake(STREAM, [...good.filter((line) => !line.startsWith(name)), ...further]);
    for (const bytes of [
      without('Sec-WebSocket-Key'),
      without('Sec-WebSocket-Key', 'Sec-WebSocket-Key: short'),
      without('Sec-WebSocket-Version'),
      without('Sec-WebSocket-Version', 'Sec-WebSocket-Version: 12'),
      `${without('Sec-WebSocket-Key')}more bytes`,
    ]) {
      const answer = await answerTo(bytes);
      expect(answer).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
      expect(answer).toMatch(/\r\nSec-WebSocket-Version: 13\r\n/i);
      expect(answer).toMatch(/\r\nStrict-Transport-Security: /);
    }
    expect(await answerTo(without('Host', 'Host: evil.example'))).toMatch(/^HTTP\/1\.1 421 /);
    expect(await answerTo(without('Host'))).toMatch(/^HTTP\/1\.1 400 /);
    expect(await answerTo(without('Nothing', `X-Long: ${'x'.repeat(20_000)}`))).toMatch(/^HTTP\/1\.1 431 /);
    expect(await answerTo(`GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: Upgrade, close\r\nUpgrade: h2c\r\n\r\n`)).toMatch(
      /^HTTP\/1\.1 200 /,
    );
    // A handshake behind a request without an answer yet.
    const behind = `GET /api/public/market-state/history?symbol=${SYMBOL} HTTP/1.1\r\nHost: localhost\r\n${key}\r\n\r\n`;
    expect(await answerTo(behind + handshake(STREAM, good))).toBe('');
    await booted.until(async () => (await connectionTotal()) === 0);
    expect(booted.gateway.streams.open.total()).toBe(0);
  });

  it.each([
    ['cut', (socket: Socket) => socket.resetAndDestroy()],
    ['half closed', (socket: Socket) => socket.end()],
  ])('leaves nothing of a connection %s before the handshake has its answer', async (_how, leave) => {
    booted.account.setHung(true);
    const socket = connect(booted.gateway.port, '127.0.0.1');
    socket.on('error', () => undefined).resume();
    socket.write(handshake(STREAM, [...HANDSHAKE, `x-market-state-api-key: ${booted.key}`]));
    await booted.until(() => booted.account.heldTotal() === 1);
    leave(socket);
    booted.account.setHung(false);
    const other = await open();
    await other.until(isOpen);
    await booted.until(async () => (await connectionTotal()) === 1 && booted.gateway.streams.open.total() === 1);
    other.cut();
  });

  it('ends with a close of its reader, charged for what was sent', async () => {
    const socket = await open();
    await socket.until(isOpen);
    log.append(120);
    await socket.until(hasRow(170));
    socket.socket.close(1_000);
    expect((await socket.closed).code).toBe(1_000);
    await booted.until(() => booted.gateway.streams.open.total() === 0);
    await booted.until(() => booted.account.credits.spent('ten_1') === Math.ceil(content(socket.messages).length / 100));
  });

  it('counts as a stream of the plan, together with server-sent events', async () => {
    const plan = { planId: 'trial', ratePerSecond: 100, burst: 100 };
    const key = booted.account.issue({ tenantId: 'ten_trial', plan });
    const sockets = [await open(STREAM, key), await open(STREAM, key), await open(STREAM, key)];
    const events = [await openStream(booted.gateway.url + STREAM, keyed(key)), await openStream(booted.gateway.url + STREAM, keyed(key))];
    const full = await refused(STREAM, keyed(key));
    expect([full.status, full.headers['retry-after'], full.body]).toMatchObject([429, '5', { code: 'limit_reached' }]);
    expect((await booted.get(STREAM, { headers: keyed(key) })).status).toBe(429);
    sockets[0]?.cut();
    await booted.until(() => booted.gateway.streams.open.total() === 4);
    const again = await open(STREAM, key);
    for (const stream of [...sockets, ...events, again]) stream.cut();
  });

  it('replays what server-sent events replay, and closes normally after the end', async () => {
    const path = `/api/public/data/stream/replay?symbol=${SYMBOL}&speed=max&start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:00Z`;
    const events = await openStream(booted.gateway.url + path, keyed());
    await events.ended;
    const socket = await open(path);
    expect(await socket.closed).toEqual({ code: 1_000, reason: 'partial' });
    expect(socket.messages.map(({ event }) => event)).toEqual(events.messages.map(({ event }) => event));
    expect(content(socket.messages)).toEqual(content(events.messages));
  });

  it('ends when its key is revoked, and says so in its last message and its close', async () => {
    const socket = await open();
    await socket.until(isOpen);
    booted.account.revoke(booted.key);
    expect(await socket.closed).toEqual({ code: 1_008, reason: 'key_revoked' });
    expect(ends(socket.messages)).toEqual([{ code: 'key_revoked', resume_id: expect.stringMatching(/^1-50-\d+$/) }]);
  });

  it('ends with a last message when the service stops, even if the reader does not answer its close', async () => {
    const sockets = [await open(), await open()];
    await Promise.all(sockets.map((socket) => socket.until(isOpen)));
    sockets[1]?.socket.pause();
    await booted.gateway.close();
    expect(await sockets[0]?.closed).toEqual({ code: 1_001, reason: 'service_stopping' });
    expect(ends(sockets[0]?.messages ?? [])).toEqual([{ code: 'service_stopping', resume_id: expect.stringMatching(/^1-50-\d+$/) }]);
    sockets[1]?.cut();
  });

  it.each([
    ['a message', 'hello', 1_008],
    ['a message over 1 KiB', 'x'.repeat(1_025), 1_009],
  ])('closes on %s from its reader', async (_what, text, code) => {
    const socket = await open();
    await socket.until(isOpen);
    socket.socket.send(text);
    expect((await socket.closed).code).toBe(code);
    await booted.until(() => booted.gateway.streams.open.total() === 0);
  });

  it('reports what a stalled reader missed, as server-sent events do', async () => {
    const slow = await open();
    await slow.until(isOpen);
    slow.socket.pause();
    const { hub, release } = await booted.gateway.streams.hubs.enter(SYMBOL);
    for (let step = 0; step < 5; step += 1) {
      for (let part = 0; part < 20; part += 1) {
        log.append(20, 20_000);
        await letOthersRun();
      }
      const reached = log.last();
      await booted.until(() => hub.ring.head().ordinal === reached);
      booted.dataPlane.rows.forget(reached - 10);
    }
    release();
    slow.socket.resume();
    log.append(3);
    await slow.until(hasRow(log.last()));
    const skipped = slow.messages
      .filter(({ event }) => event === 'skipped')
      .map(({ data }) => (JSON.parse(data) as { row_total: number }).row_total);
    const rows = slow.messages.filter(({ event }) => event === 'row').length;
    expect(skipped.length).toBeGreaterThan(0);
    expect(rows + skipped.reduce((total, missed) => total + missed, 0)).toBe(log.last() - 50);
    slow.cut();
  });
});
