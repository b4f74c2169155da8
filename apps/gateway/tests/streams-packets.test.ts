import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';
import { packetRecord } from './stand-in/packet-record';
import { logRow } from './stand-in/row-log';

const SYMBOL = 'BTCUSD-PERP';
const PACKETS = `/api/public/market-state/stream?symbol=${SYMBOL}`;
const ROWS = `/api/public/data/stream?symbol=${SYMBOL}`;

function of(kind: string, messages: readonly StreamMessage[]): StreamMessage[] {
  return messages.filter(({ event }) => event === kind);
}

function rawOf(kind: string, text: string): string[] {
  return text.split('\n\n').filter((message) => message.includes(`\nevent: ${kind}\n`) && message.startsWith('id: '));
}

/** Window ends of packets among row messages. */
function windowsOf(messages: readonly StreamMessage[]): string[] {
  return of('row', messages)
    .map(({ data }) => JSON.parse(data) as { channel: string; exchange_time_utc: string })
    .filter(({ channel }) => channel === 'packets')
    .map(({ exchange_time_utc: end }) => end);
}

describe('streams with packets', () => {
  let booted: BootedGateway;
  let windowEndMs = 0;
  let ordinal = 0;

  beforeEach(async () => {
    const bootMs = Date.now();
    windowEndMs = lastWindowEndMs(bootMs);
    ordinal = 0;
    booted = await bootGateway({ now: () => bootMs });
    rows(30);
  });
  afterEach(() => booted.close());

  function rows(total: number): void {
    for (let step = 0; step < total; step += 1)
      booted.dataPlane.rows.append({ row: logRow(SYMBOL, (ordinal += 1), ordinal % 2 === 0 ? 'book' : 'trades') });
  }

  /** Creates the next packet, whose window the newest row closed. `pushed` false: it is only stored. */
  function packet(pushed = true): void {
    windowEndMs += 10_000;
    const record = packetRecord(SYMBOL, windowEndMs, { closingOrdinal: ordinal });
    if (pushed) booted.labeling.push(record);
    else booted.labeling.store(record);
  }

  function open(path: string, lastEventId?: string): Promise<OpenedStream> {
    return openStream(booted.gateway.url + path, {
      'x-market-state-api-key': booted.key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
  }

  const upTo = (endMs: number) => (messages: readonly StreamMessage[]) =>
    messages.some(({ lastEventId }) => lastEventId.endsWith(`-${endMs}`));

  it('sends packets as they are made, by the schema of the document', async () => {
    const stream = await open(PACKETS);
    await stream.until((messages) => messages.length > 0);
    packet();
    packet();
    await stream.until(upTo(windowEndMs));
    const sent = of('packet', stream.messages);
    expect(sent.map(({ lastEventId }) => lastEventId)).toEqual(
      [windowEndMs - 10_000, windowEndMs].map((endMs) => `0-${endMs / 10_000}-${endMs}`),
    );
    const check = responseCheck('StreamPacket');
    const compact = await open(`${PACKETS}&view=compact`, sent[0]?.lastEventId);
    await compact.until(upTo(windowEndMs));
    compact.cut();
    for (const { data } of sent) expect(check(JSON.parse(data))).toBeNull();
    const route = `/api/public/market-state/latest?symbol=BTCUSD-PERP`;
    for (const { data } of [...sent, ...of('packet', compact.messages)])
      expect(JSON.parse(data)).toMatchObject({ meta: { response_state: 'recorded_replay', synthetic: false, route } });
    expect(responseCheck('StreamHeartbeat')(JSON.parse(stream.messages[0]?.data ?? ''))).toBeNull();
    stream.cut();
  });

  it('fills in packets that were not pushed, in their order', async () => {
    const stream = await open(PACKETS);
    await stream.until((messages) => messages.length > 0);
    const firstMs = windowEndMs + 10_000;
    for (let total = 0; total < 60; total += 1) packet(false);
    packet();
    await stream.until(upTo(windowEndMs));
    expect(of('packet', stream.messages).map(({ lastEventId }) => Number(lastEventId.split('-')[2]))).toEqual(
      Array.from({ length: 61 }, (_, index) => firstMs + index * 10_000),
    );
    stream.cut();
  });

  it('goes on after any packet that is kept, from memory or from stored packets, byte for byte', async () => {
    const whole = await open(PACKETS);
    await whole.until((messages) => messages.length > 0);
    for (let total = 0; total < 136; total += 1) packet();
    await whole.until(upTo(windowEndMs));
    const sent = rawOf('packet', whole.text());
    expect(sent).toHaveLength(136);
    for (const index of [0, 7, 8, 9, 134, 135]) {
      const id = /^id: (.*)\n/.exec(sent[index] ?? '')?.[1] ?? '';
      const resumed = await open(PACKETS, id);
      await resumed.until(upTo(windowEndMs));
      expect([index, rawOf('packet', resumed.text())]).toEqual([index, sent.slice(index + 1)]);
      resumed.cut();
    }
    whole.cut();
  });

  it('refuses ids of no packet, packets no longer kept, and symbols not served', async () => {
    for (let total = 0; total < 140; total += 1) packet();
    const keptMs = windowEndMs;
    await booted.until(() => booted.gateway.streams.packets.newestMs(SYMBOL) === keptMs);
    for (const id of [`1-30-${windowEndMs}`, `0-${windowEndMs / 10_000 + 1}-${windowEndMs + 10_000}`, `0-7-${windowEndMs - 1_390_000}`]) {
      expect([id, (await booted.keyed(PACKETS, { headers: { 'last-event-id': id } })).status]).toEqual([id, 422]);
    }
    for (const id of ['0-1-1896108280000', `0-${windowEndMs / 10_000 + 1}-${windowEndMs + 10_000}`]) {
      const ahead = await booted.keyed(`${PACKETS}&view=compact`, { headers: { 'last-event-id': id } });
      expect([ahead.status, ahead.json()]).toMatchObject([
        422,
        { detail: [{ loc: ['header', 'last-event-id'], msg: `names a position that ${SYMBOL} has not reached` }] },
      ]);
    }
    booted.labeling.forget(windowEndMs - 1_000_000);
    const oldMs = windowEndMs - 1_390_000;
    const gone = await booted.keyed(PACKETS, { headers: { 'last-event-id': `0-${oldMs / 10_000}-${oldMs}` } });
    expect([gone.status, gone.json()]).toMatchObject([410, { code: 'beyond_retention' }]);
    expect((await booted.keyed('/api/public/market-state/stream?symbol=XYZUSD-PERP')).status).toBe(404);
  });

  it('sends a packet as received with the entry that closed its window, even if that came before the stream', async () => {
    const stream = await open(ROWS);
    await stream.until((messages) => messages.length > 0);
    packet();
    await stream.until(upTo(windowEndMs));
    const sent = JSON.parse(of('row', stream.messages)[0]?.data ?? '{}') as { readonly received_time_utc: string };
    expect(sent.received_time_utc).toBe(new Date(packetRecord(SYMBOL, windowEndMs).knownTsMs).toISOString());
    stream.cut();
  });

  it('puts packets between rows, and loses none of either when it is cut anywhere', async () => {
    const whole = await open(ROWS);
    await whole.until((messages) => messages.length > 0);
    const first = whole.messages[0]?.lastEventId ?? '';
    const firstMs = windowEndMs + 10_000;
    for (let total = 0; total < 8; total += 1) {
      rows(7);
      packet();
      await whole.until(upTo(windowEndMs));
    }
    rows(3);
    await whole.until((messages) => messages.some(({ lastEventId }) => lastEventId.startsWith(`1-${ordinal}-`)));
    const sent = rawOf('row', whole.text());
    expect(sent).toHaveLength(8 * 8 + 3);
    expect(windowsOf(whole.messages)).toEqual(Array.from({ length: 8 }, (_, index) => new Date(firstMs + index * 10_000).toISOString()));
    const check = responseCheck('DataRow');
    for (const { data } of of('row', whole.messages)) expect(check(JSON.parse(data))).toBeNull();
    for (let index = 0; index < sent.length; index += 1) {
      const id = index === 0 ? first : (/^id: (.*)\n/.exec(sent[index - 1] ?? '')?.[1] ?? '');
      const resumed = await open(ROWS, id);
      await resumed.until((messages) => messages.length > sent.length - index);
      expect([index, rawOf('row', resumed.text())]).toEqual([index, sent.slice(index)]);
      resumed.cut();
      await resumed.ended;
    }
    whole.cut();
  });

  it('puts stored packets right after the rows that closed their windows, for a reader from before its memory', async () => {
    const fromMs = windowEndMs;
    for (let total = 0; total < 60; total += 1) {
      rows(5);
      packet();
    }
    const lastMs = windowEndMs;
    await booted.until(() => booted.gateway.streams.packets.newestMs(SYMBOL) === lastMs);
    const old = await open(ROWS, `1-10-${fromMs}`);
    await old.until((messages) => upTo(lastMs)(messages) && messages.some(({ lastEventId }) => lastEventId.startsWith(`1-${ordinal}-`)));
    const seen = of('row', old.messages).map(({ data }) => JSON.parse(data) as { channel: string; sequence: number });
    expect(seen.filter(({ channel }) => channel !== 'packets').map(({ sequence }) => sequence)).toEqual(
      Array.from({ length: ordinal - 10 }, (_, index) => 11 + index),
    );
    expect(windowsOf(old.messages)).toHaveLength(60);
    seen.forEach((row, index) => {
      if (row.channel === 'packets') expect(seen[index - 1]?.sequence).toBe(row.sequence);
    });
    old.cut();
  });
});
