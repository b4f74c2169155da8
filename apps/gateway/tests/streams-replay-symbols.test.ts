import { responseCheck } from '../src/caches/latest/latest-cache';
import { type BootedGateway, bootGateway } from './stand-in/boot';
import { type OpenedStream, openStream, type StreamMessage } from './stand-in/event-stream';
import { logGap, logRow } from './stand-in/row-log';
import { randomFrom } from './stand-in/stream-messages';
import { BTC, bySymbol, ETH, partsOf } from './stand-in/two-symbols';

const SPAN = 'start=2026-01-01T00:00:00Z&end=2026-01-01T01:00:00Z';
const ROWS = 30;

function pathOf(symbols: string): string {
  return `/api/public/data/stream/replay?symbol=${symbols}&channels=book,trades&speed=max&${SPAN}`;
}

function dataOf(kind: string, messages: readonly StreamMessage[]): unknown[] {
  return messages.filter(({ event }) => event === kind).map(({ data }) => JSON.parse(data) as unknown);
}

/** Rows and gaps as sent, with their ids. */
function contentOf(messages: readonly StreamMessage[]): string[] {
  return messages
    .filter(({ event }) => event === 'row' || event === 'gap')
    .map(({ lastEventId, event, data }) => `${lastEventId} ${event} ${data}`);
}

describe('a replay of several symbols', () => {
  let booted: BootedGateway;
  beforeEach(async () => {
    booted = await bootGateway();
  });
  afterEach(() => booted.close());

  /** Rows of both, many received in the same millisecond; gaps, at least one each, only of the symbols named. */
  function record(gapped: readonly string[]): void {
    const seed = Math.floor(Math.random() * 1_000_000);
    console.info(`seed ${seed}`);
    const random = randomFrom(seed);
    for (const symbol of [ETH, BTC])
      for (let sequence = 1; sequence <= ROWS; sequence += 1 + Math.floor(random() * 3)) {
        booted.dataPlane.rows.append({ symbol, row: logRow(symbol, sequence, random() < 0.5 ? 'book' : 'trades') });
        if (gapped.includes(symbol) && (sequence === 1 || random() < 0.2))
          booted.dataPlane.rows.append({ symbol, gap: logGap(symbol, sequence) });
      }
  }

  async function read(symbols: string, lastEventId?: string): Promise<OpenedStream> {
    const stream = await openStream(booted.gateway.url + pathOf(symbols), {
      'x-market-state-api-key': booted.key,
      ...(lastEventId === undefined ? {} : { 'last-event-id': lastEventId }),
    });
    await stream.ended;
    return stream;
  }

  it('has of each symbol what its own replay has, in bytes, merged by when rows were received, however symbols are ordered', async () => {
    record([BTC, ETH]);
    const merged = await read(`${ETH},${BTC}`);
    const own = await Promise.all([BTC, ETH].map((symbol) => read(symbol)));
    expect(bySymbol(partsOf(merged.messages), [BTC, ETH])).toEqual(
      own.map(({ messages }, at) => bySymbol(partsOf(messages), [BTC, ETH])[at]),
    );
    const times = dataOf('row', merged.messages).map((row) => {
      const { received_time_utc: received, row: line } = row as { received_time_utc: string; row: { symbol: string } };
      return `${received} ${line.symbol}`;
    });
    expect(times).toEqual([...times].sort());
    expect(new Set(times.map((time) => time.slice(0, 24))).size).toBeLessThan(times.length);
    expect((await read(`${BTC},${ETH}`)).text()).toBe(merged.text());
  });

  it('is the uncut one when it is cut and gone on with after any message', async () => {
    record([BTC, ETH]);
    const whole = contentOf((await read(`${BTC},${ETH}`)).messages);
    for (const [index, message] of whole.entries()) {
      const resumed = await read(`${BTC},${ETH}`, message.split(' ')[0]);
      expect([index, contentOf(resumed.messages)]).toEqual([index, whole.slice(index + 1)]);
    }
  });

  it('has a plan and a receipt for each symbol, as its own replay has them, and is complete only when each of them is', async () => {
    record([ETH]);
    const merged = await read(`${ETH},${BTC}`);
    for (const kind of ['plan', 'receipt']) {
      const own = await Promise.all([BTC, ETH].map(async (symbol) => dataOf(kind, (await read(symbol)).messages)[0] as object));
      expect(dataOf(kind, merged.messages)).toEqual([BTC, ETH].map((symbol, at) => ({ symbol, ...own[at] })));
    }
    expect(dataOf('receipt', merged.messages)).toMatchObject([{ status: 'complete' }, { status: 'partial' }]);
    expect(dataOf('end', merged.messages)).toMatchObject([{ code: 'partial' }]);
    const check = responseCheck('Completeness');
    for (const receipt of dataOf('receipt', merged.messages)) expect(check(receipt)).toBeNull();
  });

  it('bridges a source that breaks, without a message twice', async () => {
    record([BTC]);
    for (let sequence = ROWS + 1; sequence < 500; sequence += 1)
      for (const symbol of [BTC, ETH]) booted.dataPlane.rows.append({ symbol, row: logRow(symbol, sequence, 'book', 8_000) });
    const stream = await openStream(booted.gateway.url + pathOf(`${BTC},${ETH}`), { 'x-market-state-api-key': booted.key });
    stream.pause();
    await booted.until(() => booted.dataPlane.rows.replayedTotal() > 0);
    booted.dataPlane.rows.breakStreams();
    stream.resume();
    await stream.ended;
    expect(contentOf(stream.messages)).toEqual(contentOf((await read(`${BTC},${ETH}`)).messages));
    expect(dataOf('plan', stream.messages)).toHaveLength(2);
    expect(dataOf('receipt', stream.messages)).toHaveLength(2);
  });

  it('is resumed by an id that holds one of its symbols, and refused with one that does not say of which symbol it is', async () => {
    record([]);
    const own = await read(BTC);
    const refused = await booted.keyed(pathOf(`${BTC},${ETH}`), { headers: { 'last-event-id': own.messages.at(-3)?.lastEventId ?? '' } });
    expect([refused.status, refused.json()]).toMatchObject([422, { detail: [{ loc: ['header', 'last-event-id'] }] }]);
    const merged = await read(`${BTC},${ETH}`);
    const id = merged.messages.filter(({ event }) => event === 'row').at(20)?.lastEventId ?? '';
    const [btc = ''] = id.split('.');
    const rest = await read(`${BTC},${ETH}`, btc);
    const [ofBtc, ofEth] = bySymbol(partsOf(rest.messages), [BTC, ETH]);
    expect(ofEth).toEqual(bySymbol(partsOf(merged.messages), [BTC, ETH])[1]);
    expect(ofBtc?.length).toBeLessThan(bySymbol(partsOf(own.messages), [BTC])[0]?.length ?? 0);
  });
});
