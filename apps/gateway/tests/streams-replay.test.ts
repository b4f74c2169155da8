import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';
import { logGap, logRow, USUAL_CHANNELS } from './stand-in/row-log';

const SYMBOL = 'BTCUSD-PERP';
const LIVE = `/api/public/data/stream?symbol=${SYMBOL}&channels=book,trades`;
const SPAN = 'start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:00Z';
const REPLAY = `/api/public/data/stream/replay?symbol=${SYMBOL}&channels=book,trades&speed=max`;
const SCHEMAS = { plan: 'StreamPlan', row: 'DataRow', gap: 'Gap', heartbeat: 'StreamHeartbeat', receipt: 'Completeness', end: 'StreamEnd' };
const checks = Object.entries(SCHEMAS).map(([event, schema]) => [event, responseCheck(schema)] as const);

function rawContent(text: string): string[] {
  return text.split('\n\n').filter((message) => /^id: .*\nevent: (row|gap)\n/.test(message));
}

function dataOf(kind: string, messages: readonly StreamMessage[]): unknown[] {
  return messages.filter(({ event }) => event === kind).map(({ data }) => JSON.parse(data) as unknown);
}

describe('the replay stream', () => {
  let booted: BootedGateway;
  let ordinal = 0;

  beforeEach(async () => {
    ordinal = 0;
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  function append(total: number, sizeBytes = 0): void {
    for (let step = 0; step < total; step += 1) {
      booted.dataPlane.rows.append({ row: logRow(SYMBOL, (ordinal += 1), ordinal % 2 === 0 ? 'book' : 'trades', sizeBytes) });
      if (ordinal % 23 === 0) booted.dataPlane.rows.append({ gap: logGap(SYMBOL, ordinal) });
    }
  }

  function open(path: string, lastEventId?: string): Promise<OpenedStream> {
    return openStream(booted.gateway.url + path, {
      'x-market-state-api-key': booted.key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  }

  it('sends the plan first, then the very messages of the live stream, then the receipt and the end', async () => {
    const live = await open(LIVE);
    await live.until((messages) => messages.length > 0);
    append(200);
    await live.until((messages) => messages.some(({ lastEventId }) => lastEventId === '1-200-0'));
    const replay = await open(`${REPLAY}&${SPAN}`);
    await replay.ended;
    const kinds = replay.messages.map(({ event }) => event);
    expect([kinds[0], kinds[kinds.length - 2], kinds[kinds.length - 1]]).toEqual(['plan', 'receipt', 'end']);
    expect(rawContent(replay.text())).toEqual(rawContent(live.text()));
    expect(dataOf('plan', replay.messages)).toMatchObject([
      {
        start_utc: '2026-01-01T00:00:00.000Z',
        end_utc: '2026-01-01T01:00:00.000Z',
        channels: ['book', 'trades'],
        speed: 'max',
        rows_expected: 200,
      },
    ]);
    expect(dataOf('receipt', replay.messages)).toMatchObject([{ rows_sent: 200, status: 'partial', reasons: ['gaps_in_window'] }]);
    expect(dataOf('end', replay.messages)).toEqual([{ code: 'partial', resume_id: '1-200-0' }]);
    for (const [event, check] of checks)
      for (const data of dataOf(event, replay.messages)) expect([event, check(data)]).toEqual([event, null]);
    live.cut();
  });

  it('ends with the status of its receipt, the only one that says complete', async () => {
    for (const status of ['complete', 'partial']) {
      append(20);
      const { messages, ended } = await open(`${REPLAY}&${SPAN}`);
      await ended;
      expect([dataOf('receipt', messages), dataOf('end', messages)]).toMatchObject([[{ status }], [{ code: status }]]);
      const others = messages.filter(({ event }) => event !== 'receipt' && event !== 'end');
      expect(others.some(({ data }) => data.includes('complete'))).toBe(false);
    }
  });

  it('goes on after any message', async () => {
    append(30);
    const whole = await open(`${REPLAY}&${SPAN}`);
    await whole.ended;
    const sent = rawContent(whole.text());
    for (let index = 0; index < sent.length; index += 1) {
      const id = /^id: (.*)\n/.exec(sent[index] ?? '')?.[1] ?? '';
      const resumed = await open(`${REPLAY}&${SPAN}`, id);
      await resumed.ended;
      expect([id, rawContent(resumed.text())]).toEqual([id, sent.slice(index + 1)]);
    }
  });

  it('reads what the venue reports, control and packets where no channels are named', async () => {
    append(2);
    const replay = await open(`/api/public/data/stream/replay?symbol=${SYMBOL}&speed=max&${SPAN}`);
    await replay.ended;
    expect(dataOf('plan', replay.messages)).toMatchObject([{ channels: USUAL_CHANNELS }]);
  });

  it('does not repeat a packet that the live stream sent before it was cut, and sends one that it had not sent behind later rows', async () => {
    const windowEndMs = 1_767_225_610_000;
    append(1);
    booted.dataPlane.rows.append({
      row: { ...logRow(SYMBOL, ordinal, 'packets'), packetDigest: 'a'.repeat(64), packetWindowEndMs: windowEndMs },
    });
    append(1);
    const path = `/api/public/data/stream/replay?symbol=${SYMBOL}&speed=max&${SPAN}`;
    const sequencesAfter = async (id: string): Promise<unknown[]> => {
      const replay = await open(path, id);
      await replay.ended;
      return dataOf('row', replay.messages).map((row) => [(row as { channel: string }).channel, (row as { sequence: number }).sequence]);
    };
    expect(await sequencesAfter(`1-1-${windowEndMs - 10_000}`)).toEqual([
      ['packets', 1],
      ['book', 2],
    ]);
    expect(await sequencesAfter(`1-1-${windowEndMs}`)).toEqual([['book', 2]]);
    append(1);
    const late = await open(path, `1-2-${windowEndMs - 10_000}`);
    await late.ended;
    const ids = late.messages.filter(({ event }) => event === 'row').map(({ lastEventId }) => lastEventId);
    expect(ids).toEqual([`1-2-${windowEndMs}`, `1-3-${windowEndMs}`]);
    expect(await sequencesAfter(`1-2-${windowEndMs - 10_000}`)).toEqual([
      ['packets', 1],
      ['trades', 3],
    ]);
    expect(await sequencesAfter(`1-2-${windowEndMs}`)).toEqual([['trades', 3]]);
  });

  it('bridges a source that breaks and comes back', async () => {
    append(1_000, 4_000);
    const replay = await open(`${REPLAY}&${SPAN}`);
    replay.pause();
    await booted.until(() => booted.dataPlane.rows.replayedTotal() > 0);
    booted.dataPlane.rows.breakStreams();
    replay.resume();
    await replay.ended;
    const rows = dataOf('row', replay.messages) as { readonly sequence: number }[];
    expect(rows.map(({ sequence }) => sequence)).toEqual(Array.from({ length: 1_000 }, (_, index) => index + 1));
    expect(dataOf('plan', replay.messages)).toHaveLength(1);
    expect(dataOf('end', replay.messages)).toMatchObject([{ code: 'partial' }]);
  });

  it('waits for a slow reader instead of skipping or holding rows for it', async () => {
    append(2_000, 16_000);
    const replay = await open(`${REPLAY}&${SPAN}`);
    replay.pause();
    let before = -1;
    await booted.until(() => {
      const total = booted.dataPlane.rows.replayedTotal();
      const stands = total === before && total > 0;
      before = total;
      return stands;
    });

    expect(before).toBeLessThan(1_000);
    replay.resume();
    await replay.ended;
    expect(dataOf('row', replay.messages)).toHaveLength(2_000);
    expect(dataOf('skipped', replay.messages)).toEqual([]);
  });

  it.each([
    ['speed=0', 'speed'],
    ['speed=101', 'speed'],
    ['speed=fast', 'speed'],
    ['start=2026-01-02T00:00:00Z&end=2026-01-01T00:00:00Z', 'start'],
    ['start=2026-01-01T00:00:00Z&end=2026-01-02T00:00:01Z', 'end'],
    ['start=yesterday', 'start'],
    ['channels=books', 'channels'],
  ])('refuses %s', async (query, parameter) => {
    const refused = await booted.keyed(`/api/public/data/stream/replay?symbol=${SYMBOL}&${query}`);
    expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ loc: ['query', parameter] }] }]);
  });

  it('is resumed only by the window it began with', async () => {
    const refused = await booted.keyed(REPLAY, { headers: { 'last-event-id': '1-5-0' } });
    expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ loc: ['query', 'start'] }, { loc: ['query', 'end'] }] }]);
  });
});
