import { setImmediate as letOthersRun } from 'node:timers/promises';
import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';
import { createGrowingLog, type GrowingLog } from './stand-in/growing-log';
import { content, ends, randomFrom, rawContent } from './stand-in/stream-messages';

const SYMBOL = 'BTCUSD-PERP';
const STREAM = `/api/public/data/stream?symbol=${SYMBOL}`;
/** Cuts per stream: PROPERTY_RUNS, or 10. */
const CUTS = Number(process.env['PROPERTY_RUNS'] ?? 10);

describe('the live stream of rows', () => {
  let booted: BootedGateway;
  let log: GrowingLog;

  beforeEach(async () => {
    booted = await bootGateway();
    log = createGrowingLog(booted.dataPlane.rows, SYMBOL);
    log.append(50);
  });
  afterEach(() => booted.close());

  function open(path = STREAM, lastEventId?: string): Promise<OpenedStream> {
    return openStream(booted.gateway.url + path, {
      'x-market-state-api-key': booted.key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  }

  /** Rows arrive in order, so checking the last one is enough. */
  const hasRow = (ordinal: number) => (messages: readonly StreamMessage[]) => {
    const last = messages.findLast(({ event }) => event === 'row');
    return last !== undefined && (JSON.parse(last.data) as { sequence: number }).sequence >= ordinal;
  };

  it('says at once that it is live, with headers that nothing on the way holds it back by', async () => {
    const stream = await open();
    await stream.until((messages) => messages.length > 0);
    expect(stream.status).toBe(200);
    expect(stream.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'x-request-id': expect.any(String),
    });
    expect(stream.headers['content-encoding']).toBeUndefined();
    expect(stream.retryMs()).toBe(2_000);
    expect(JSON.parse(stream.messages[0]?.data ?? '')).toEqual({ feed_clock_utc: '2026-01-01T00:00:00.120Z', response_state: 'synthetic' });
    expect(stream.messages[0]).toMatchObject({ event: 'heartbeat', lastEventId: expect.stringMatching(/^1-50-\d+$/) });
    stream.cut();
  });

  it('sends rows and gaps after the moment it was opened, the bytes of a row as they were recorded', async () => {
    const stream = await open(`${STREAM}&channels=book,trades,context`);
    await stream.until((messages) => messages.length > 0);
    log.append(20);
    await stream.until(hasRow(70));
    expect(
      content(stream.messages)
        .filter(({ event }) => event === 'row')
        .map(({ data }) => (JSON.parse(data) as { sequence: number }).sequence),
    ).toEqual(Array.from({ length: 20 }, (_, index) => 51 + index));
    expect(stream.text()).toContain(
      'id: 1-56-0\nevent: row\ndata: {"channel":"context","sequence":56,"epoch":1,"exchange_time_utc":"2026-01-01T00:00:00.560Z","received_time_utc":"2026-01-01T00:00:00.564Z","flags":["late","synthetic"],"row":{"schema":"market_state_row.v1","venue":"simulated","symbol":"BTCUSD-PERP","pass":0,"venue_id":"","exchange_ts_ms":1767225600560,"exchange_ts_is_receive_time":false,"received_ts_ms":1767225600564,"ordinal":56,"epoch":1,"kind":"context","mark_price":"100"}}\n\n',
    );
    expect(stream.text()).toContain('id: 1-51-1\nevent: gap\n');
    stream.cut();
  });

  it('opens one source for all readers and closes none that has readers', async () => {
    const streams = await Promise.all(
      Array.from({ length: 8 }, (_, index) => open(index % 2 === 0 ? STREAM : `${STREAM}&channels=trades`)),
    );
    await Promise.all(streams.map((stream) => stream.until((messages) => messages.length > 0)));
    expect(booted.dataPlane.rows.openTotal()).toBe(1);
    log.append(30);
    await Promise.all(streams.map((stream) => stream.until(hasRow(79))));
    const trades = content(streams[1]?.messages ?? []).filter(({ event }) => event === 'row');
    expect(new Set(trades.map(({ data }) => (JSON.parse(data) as { channel: string }).channel))).toEqual(new Set(['trades']));
    streams.forEach((stream) => stream.cut());
  });

  it('cut at random places and resumed, equals the uncut one byte for byte', async () => {
    const seed = Math.floor(Math.random() * 1_000_000);
    const random = randomFrom(seed);
    console.info(`seed ${seed}`);
    const path = `${STREAM}&channels=book,trades,context`;
    const whole = await open(path);
    await whole.until((messages) => messages.length > 0);
    let last = whole.messages[0]?.lastEventId ?? '';
    const collected: string[] = [];
    for (let cut = 0; cut < CUTS; cut += 1) {
      const stream = await open(path, last);
      if (random() < 0.3) booted.dataPlane.rows.breakStreams();
      const added = 1 + Math.floor(random() * 200);
      log.append(added);
      const wanted = 1 + Math.floor(random() * Math.min(30, added));
      await stream.until((messages) => content(messages).length >= wanted);
      stream.cut();
      await stream.ended;
      // Bytes after the last complete message are lost with the connection.
      const raw = rawContent(stream.text().slice(0, stream.text().lastIndexOf('\n\n')));
      const kept = raw.slice(0, 1 + Math.floor(random() * raw.length));
      collected.push(...kept);
      last = /^id: (.*)\n/.exec(kept[kept.length - 1] ?? '')?.[1] ?? last;
    }
    const rest = await open(path, last);
    const end = log.last();
    await Promise.all([whole.until(hasRow(end)), rest.until(hasRow(end))]);
    collected.push(...rawContent(rest.text()));
    const uncut = rawContent(whole.text());
    expect(uncut.length).toBeGreaterThan(CUTS);
    expect(collected).toEqual(uncut);
    whole.cut();
    rest.cut();
  });

  it('goes on from stored rows where the id is older than its memory, and joins them without loss or repeat', async () => {
    const live = await open(`${STREAM}&channels=book,trades,context`);
    await live.until((messages) => messages.length > 0);
    const old = await open(`${STREAM}&channels=book,trades,context`, '1-3-0');
    log.append(10);
    await old.until(hasRow(60));
    expect(
      content(old.messages)
        .filter(({ event }) => event === 'row')
        .map(({ data }) => (JSON.parse(data) as { sequence: number }).sequence),
    ).toEqual(Array.from({ length: 57 }, (_, index) => 4 + index));
    expect(content(old.messages).filter(({ event }) => event === 'gap')).toHaveLength(4);
    await booted.until(() => booted.dataPlane.rows.openTotal() === 1);
    live.cut();
    old.cut();
  });

  it('refuses before it begins: ids that are none, ids ahead of the log, rows no longer kept, symbols not served', async () => {
    for (const id of ['abc', '1-2', '1-2-3-4', '01-2-0', '9-50-0', '1-900000-0', '0-5-10000']) {
      const refused = await booted.keyed(STREAM, { headers: { 'last-event-id': id } });
      expect([id, refused.status, refused.json()]).toMatchObject([id, 422, { detail: [{ loc: ['header', 'last-event-id'] }] }]);
    }
    booted.dataPlane.rows.forget(30);
    const gone = await booted.keyed(STREAM, { headers: { 'last-event-id': '1-10-0' } });
    expect([gone.status, gone.json()]).toMatchObject([410, { code: 'beyond_retention', oldest_available_utc: '2026-01-01T00:00:00.000Z' }]);
    expect((await booted.keyed('/api/public/data/stream?symbol=XYZUSD-PERP')).status).toBe(404);
    expect((await booted.keyed(`${STREAM}&channels=nope`)).status).toBe(422);
    expect((await booted.get(STREAM)).status).toBe(401);
  });

  it('goes on without a reader noticing when its source breaks and comes back', async () => {
    const stream = await open(`${STREAM}&channels=book,trades,context`);
    await stream.until((messages) => messages.length > 0);
    log.append(5);
    await stream.until(hasRow(55));
    booted.dataPlane.rows.setDown(true);
    booted.dataPlane.rows.breakStreams();
    log.append(40);
    await booted.until(() => booted.dataPlane.rows.openTotal() === 0);
    booted.dataPlane.rows.setDown(false);
    await stream.until(hasRow(95));
    expect(
      content(stream.messages)
        .filter(({ event }) => event === 'row')
        .map(({ data }) => (JSON.parse(data) as { sequence: number }).sequence),
    ).toEqual(Array.from({ length: 45 }, (_, index) => 51 + index));
    stream.cut();
  });

  it('reports exactly what a stalled reader missed, and retains only the newest rows for it', async () => {
    const slow = await open(`${STREAM}&channels=book,trades`);
    const quick = await open(`${STREAM}&channels=control`);
    await slow.until((messages) => messages.length > 0);
    await quick.until((messages) => messages.length > 0);
    slow.pause();
    const { hub, release } = await booted.gateway.streams.hubs.enter(SYMBOL);
    for (let step = 0; step < 5; step += 1) {
      // In parts: gateway and account share this process, and a charge that is not answered in time ends the stream.
      for (let part = 0; part < 20; part += 1) {
        log.append(20, 20_000);
        await letOthersRun();
      }
      const reached = log.last();
      await booted.until(() => hub.ring.head().ordinal === reached);
      booted.dataPlane.rows.forget(reached - 10);
    }
    release();
    slow.resume();
    log.append(3);
    await slow.until(hasRow(log.last() - 2));
    const skipped = slow.messages
      .filter(({ event }) => event === 'skipped')
      .map(
        ({ data }) =>
          JSON.parse(data) as { from_id: string; to_id: string; row_total: number; by_channel: Record<string, number>; gap_total: number },
      );
    expect(skipped.length).toBeGreaterThan(0);
    const rows = content(slow.messages)
      .filter(({ event }) => event === 'row')
      .map(({ data }) => JSON.parse(data) as { sequence: number; channel: string });
    const wanted = Array.from({ length: log.last() - 50 }, (_, index) => 51 + index).filter((ordinal) => ordinal % 3 !== 2);
    expect(rows.length + skipped.reduce((total, { row_total: missed }) => total + missed, 0)).toBe(
      wanted.filter((ordinal) => ordinal <= (rows[rows.length - 1]?.sequence ?? 0)).length,
    );
    for (const one of skipped) expect((one.by_channel['book'] ?? 0) + (one.by_channel['trades'] ?? 0)).toBe(one.row_total);
    expect(responseCheck('StreamSkipped')(skipped[0])).toBeNull();
    expect(hub.ring.sizeBytes()).toBeLessThanOrEqual(24 * 1_048_576);
    slow.cut();
    quick.cut();
  });

  it('ends when its key is revoked, and says so', async () => {
    const stream = await open();
    await stream.until((messages) => messages.length > 0);
    booted.account.revoke(booted.key);
    await stream.ended;
    expect(ends(stream.messages)).toEqual([{ code: 'key_revoked', resume_id: expect.stringMatching(/^1-50-\d+$/) }]);
  });

  it('ends when rows after its last one can no longer be had, and says where it stood', async () => {
    const stream = await open(`${STREAM}&channels=book,trades,context`);
    await stream.until((messages) => messages.length > 0);
    log.append(5);
    await stream.until(hasRow(55));
    booted.dataPlane.rows.setDown(true);
    booted.dataPlane.rows.breakStreams();
    log.append(40);
    booted.dataPlane.rows.forget(80);
    booted.dataPlane.rows.setDown(false);
    await stream.ended;
    expect(ends(stream.messages)).toEqual([{ code: 'upstream_lost', resume_id: '1-55-0' }]);
    expect((await booted.keyed(STREAM, { headers: { 'last-event-id': '1-55-0' } })).status).toBe(410);
  });

  it('answers HEAD with the headers alone, and holds nothing open for it', async () => {
    const head = await booted.keyed(STREAM, { method: 'HEAD' });
    expect([head.status, head.headers['content-type'], head.text]).toEqual([200, 'text/event-stream; charset=utf-8', '']);
    expect(booted.gateway.streams.open.total()).toBe(0);
  });

  it('counts its clients and messages', async () => {
    const stream = await open(`${STREAM}&channels=book,trades,context`);
    await stream.until((messages) => messages.length > 0);
    log.append(16);
    await stream.until(hasRow(66));
    const metrics = await (await fetch(`http://127.0.0.1:${booted.gateway.opsPort}/metrics`)).text();
    const value = (name: string): number =>
      Number(new RegExp(`^${name}\\{[^}]*route="/api/public/data/stream"[^}]*\\} (\\d+)$`, 'm').exec(metrics)?.[1]);
    expect([value('event_stream_clients'), value('event_stream_messages_sent_total')]).toEqual([1, content(stream.messages).length]);
    stream.cut();
    await booted.until(() => booted.gateway.streams.open.total() === 0);
  });

  it('rejects streams beyond the plan limit across all keys, and admits a new one when one has ended', async () => {
    const trial = { tenantId: 'ten_trial', plan: { planId: 'trial', ratePerSecond: 2, burst: 40 } };
    const keys = [booted.account.issue({ ...trial, keyId: 'key_a' }), booted.account.issue({ ...trial, keyId: 'key_b' })];
    const openWith = (index: number) => openStream(booted.gateway.url + STREAM, { 'x-market-state-api-key': keys[index % 2] ?? '' });
    const streams: OpenedStream[] = [];
    for (let total = 0; total < 5; total += 1) streams.push(await openWith(total));
    for (const key of keys) {
      const refused = await booted.get(STREAM, { headers: { 'x-market-state-api-key': key } });
      expect([refused.status, refused.headers['retry-after'], refused.json()]).toMatchObject([429, '5', { code: 'limit_reached' }]);
    }
    const other = await open();
    expect(other.status).toBe(200);
    streams[0]?.cut();
    await booted.until(() => booted.gateway.streams.open.total() === 5);
    const again = await openWith(0);
    expect(again.status).toBe(200);
    for (const stream of [...streams, other, again]) stream.cut();
  });

  it('ends every stream with a last message when the service stops', async () => {
    const streams = await Promise.all([open(), open(`${STREAM}&channels=trades`)]);
    await Promise.all(streams.map((stream) => stream.until((messages) => messages.length > 0)));
    await booted.gateway.close();
    await Promise.all(streams.map((stream) => stream.ended));
    for (const stream of streams) {
      expect(ends(stream.messages)).toEqual([{ code: 'service_stopping', resume_id: expect.stringMatching(/^1-50-\d+$/) }]);
      expect(stream.messages[stream.messages.length - 1]?.event).toBe('end');
    }
  });
});
