import { responseCheck } from '../src/caches/latest/latest-cache';
import { randomFrom } from './stand-in/stream-messages';
import { BTC, bootTwoSymbols, bySymbol, ETH, ETH_FROM, type Part, partsOf, type TwoSymbols } from './stand-in/two-symbols';

const SOL = 'SOLUSD-PERP';
const ROWS = `/api/public/data/stream?symbol=${BTC},${ETH}&channels=book,trades`;
const PACKETS = `/api/public/market-state/stream?symbol=${BTC},${ETH}`;
const ALL = '/api/public/market-state/stream?symbol=ALL&view=compact';
/** Cuts per stream: PROPERTY_RUNS, or 8. */
const CUTS = Number(process.env['PROPERTY_RUNS'] ?? 8);

describe('a stream of several symbols', () => {
  let market: TwoSymbols;
  beforeEach(async () => {
    market = await bootTwoSymbols();
  });
  afterEach(() => market.booted.close());

  /** Reads with random cuts while `more` creates messages, and compares with each symbol's own stream. */
  async function expectUncut(path: string, own: (symbol: string) => string, more: (random: () => number) => void): Promise<void> {
    const seed = Math.floor(Math.random() * 1_000_000);
    console.info(`seed ${seed}`);
    const random = randomFrom(seed);
    const symbols = [BTC, ETH];
    const whole = await Promise.all(symbols.map((symbol) => market.opened(own(symbol))));
    let last = (await market.opened(path)).messages[0]?.lastEventId ?? '';
    const collected: Part[] = [];
    for (let cut = 0; cut < CUTS; cut += 1) {
      if (random() < 0.2) market.booted.dataPlane.rows.breakStreams();
      const stream = await market.open(path, last);
      more(random);
      const wanted = 1 + Math.floor(random() * 6);
      await stream.until((messages) => partsOf(messages).length >= wanted);
      stream.cut();
      await stream.ended;
      const had = stream.messages.filter(({ event }) => event === 'row' || event === 'gap' || event === 'packet');
      const kept = had.slice(0, 1 + Math.floor(random() * had.length));
      collected.push(...partsOf(kept));
      last = kept.at(-1)?.lastEventId ?? last;
    }
    more(random);
    const rest = await market.open(path, last);
    const ownTotal = (): number => whole.reduce((sum, { messages }) => sum + partsOf(messages).length, 0);
    await rest.until((messages) => collected.length + partsOf(messages).length >= ownTotal());
    const all = bySymbol([...collected, ...partsOf(rest.messages)], symbols);
    whole.forEach(({ messages }, at) => {
      const uncut = bySymbol(partsOf(messages), symbols)[at] ?? [];
      const shared = Math.min(uncut.length, all[at]?.length ?? 0);
      expect(shared).toBeGreaterThan(CUTS);
      expect(all[at]?.slice(0, shared)).toEqual(uncut.slice(0, shared));
    });
    for (const stream of [...whole, rest]) stream.cut();
  }

  it('of rows, cut at random places and resumed, has of each symbol what its own stream has, in bytes', async () => {
    await expectUncut(
      ROWS,
      (symbol) => `/api/public/data/stream?symbol=${symbol}&channels=book,trades`,
      (random) => {
        market.append(BTC, 3 + Math.floor(random() * 20));
        market.append(ETH, 3 + Math.floor(random() * 20));
      },
    );
  });

  it('of packets, cut at random places and resumed, has of each symbol what its own stream has, in bytes', async () => {
    await expectUncut(
      PACKETS,
      (symbol) => `/api/public/market-state/stream?symbol=${symbol}`,
      (random) => {
        for (let made = 0; made < 3 + Math.floor(random() * 3); made += 1) market.packets(...(random() < 0.5 ? [BTC, ETH] : [ETH, BTC]));
      },
    );
  });

  it('goes on from stored rows and packets where an id is older than its memory', async () => {
    const rows = await market.open(ROWS, `BTC-1-5-0.ETH-1-${(ETH_FROM + 12).toString(36)}-0`);
    await rows.until((messages) => partsOf(messages).filter(({ event }) => event === 'row').length >= 15 + 8);
    const sequences = bySymbol(partsOf(rows.messages), [BTC, ETH]).map((messages) =>
      messages.flatMap((message) => (message.startsWith('row ') ? [(JSON.parse(message.slice(4)) as { sequence: number }).sequence] : [])),
    );
    expect(sequences).toEqual([Array.from({ length: 15 }, (_, at) => 6 + at), Array.from({ length: 8 }, (_, at) => ETH_FROM + 13 + at)]);
    rows.cut();
    const { lastEventId: from = '' } = (await market.opened(PACKETS)).messages[0] ?? {};
    let windowEndMs = 0;
    for (let made = 0; made < 132; made += 1) windowEndMs = market.packets(BTC, ETH);
    await market.booted.until(() => [BTC, ETH].every((symbol) => market.booted.gateway.streams.packets.newestMs(symbol) === windowEndMs));
    const old = await market.open(PACKETS, from);
    await old.until((messages) => partsOf(messages).length >= 264);
    for (const messages of bySymbol(partsOf(old.messages), [BTC, ETH])) expect(new Set(messages).size).toBe(132);
    old.cut();
  });

  it('names in each heartbeat the symbols that it follows, with their clocks', async () => {
    const windowEndMs = market.packets(BTC, ETH);
    await market.booted.until(() => [BTC, ETH].every((symbol) => market.booted.gateway.streams.packets.newestMs(symbol) === windowEndMs));
    const stream = await market.opened(PACKETS);
    const heartbeat = JSON.parse(stream.messages[0]?.data ?? '') as Record<string, unknown>;
    const clock = new Date(windowEndMs).toISOString();
    expect(heartbeat).toMatchObject({ feed_clock_utc: clock, feed_clocks: { [BTC]: clock, [ETH]: clock } });
    expect(responseCheck('StreamHeartbeat')(heartbeat)).toBeNull();
    stream.cut();
  });

  it('resumes a stream of fewer symbols and of more: a new one has every packet since the id', async () => {
    const firstMs = market.packets(BTC);
    await market.booted.until(() => market.booted.gateway.streams.packets.newestMs(BTC) === firstMs);
    const both = await market.opened(PACKETS);
    market.packets(BTC, ETH);
    await both.until((messages) => partsOf(messages).length >= 2);
    const id = both.messages.at(-1)?.lastEventId ?? '';
    both.cut();
    const windowEndMs = market.packets(BTC, ETH);
    const fewer = await market.open(`/api/public/market-state/stream?symbol=${ETH}`, id);
    await fewer.until((messages) => partsOf(messages).length >= 1);
    expect(fewer.messages.at(-1)?.lastEventId).toBe(`0-${windowEndMs / 10_000}-${windowEndMs}`);
    fewer.cut();
    const more = await market.open(PACKETS, `BTC-${id.split('.')[0]?.slice(4) ?? ''}`);
    await more.until((messages) => partsOf(messages).length >= 2);
    expect(
      partsOf(more.messages)
        .map(({ symbol }) => symbol)
        .sort(),
    ).toEqual([BTC, ETH]);
    more.cut();
  });

  it('of all symbols has those that come later from their first packet on, also when they came while it was cut', async () => {
    const all = await market.opened(ALL);
    const id = all.messages[0]?.lastEventId ?? '';
    market.booted.labeling.serve(SOL);
    market.packets(BTC, ETH, SOL);
    market.packets(SOL);
    await all.until((messages) => partsOf(messages).length >= 4);
    const check = responseCheck('CompactPacket');
    for (const { data } of partsOf(all.messages)) expect(check(JSON.parse(data))).toBeNull();
    all.cut();
    const resumed = await market.open(ALL, id);
    await resumed.until((messages) => partsOf(messages).length >= 4);
    const symbols = [BTC, ETH, SOL];
    expect(bySymbol(partsOf(resumed.messages), symbols)).toEqual(bySymbol(partsOf(all.messages), symbols));
    resumed.cut();
  });
});
