import { responseCheck } from '../src/caches/latest/latest-cache';
import type { StreamMessage } from './stand-in/event-stream';
import { ends } from './stand-in/stream-messages';
import { BTC, bootTwoSymbols, ETH, ETH_FROM, partsOf, type TwoSymbols } from './stand-in/two-symbols';

const ROWS = `/api/public/data/stream?symbol=${BTC},${ETH}&channels=book,trades`;

describe('a stream of several symbols that is refused, ends or leaves out', () => {
  let market: TwoSymbols;
  beforeEach(async () => {
    market = await bootTwoSymbols();
  });
  afterEach(() => market.booted.close());

  const refusal = async (path: string, id?: string) => {
    const { status, json } = await market.booted.keyed(path, id === undefined ? {} : { headers: { 'last-event-id': id } });
    return [status, JSON.stringify(json())] as const;
  };

  it('refuses lists and ids that do not belong to this stream, with a reason', async () => {
    const path = '/api/public/market-state/stream?symbol=';
    expect(await refusal(`${path}${Array.from({ length: 21 }, (_, at) => `A${at}USD-PERP`).join(',')}`)).toEqual([
      422,
      expect.stringContaining('names 21 symbols, but a stream takes at most 20'),
    ]);
    expect(await refusal(`${path}${BTC},ALL`)).toEqual([422, expect.stringContaining('ALL cannot be combined with others')]);
    expect(await refusal(`${path}${BTC},btc`)).toEqual([422, expect.stringContaining(`has malformed symbols \\"btc\\"`)]);
    expect(await refusal(`${path}${BTC},`)).toEqual([422, expect.stringContaining('has malformed symbols')]);
    expect(await refusal('/api/public/data/stream?symbol=ALL')).toEqual([422, expect.stringContaining('BTCUSD-PERP')]);
    expect((await refusal(`${path}${BTC},XYZUSD-PERP`))[0]).toBe(404);
    expect((await refusal(`/api/public/data/stream?symbol=${BTC},XYZUSD-PERP`))[0]).toBe(404);
    expect((await refusal(`${ROWS}&conflate_ms=5001`))[0]).toBe(422);
    const ids = [
      ['1-5-0', 'is the id of a single-symbol stream'],
      ['SOL-1-5-0.DOGE-1-5-0', 'is the id of a stream of SOLUSD-PERP, DOGEUSD-PERP, none of which are in this stream'],
      ['BTC-1-zzzzzz-0.ETH-1-5-0', 'names a position that BTCUSD-PERP has not reached'],
      ['BTC-1-5', 'unchanged'],
      ['BTC-01-5-0', 'unchanged'],
      ['BTC-1-5-0.BTC-1-6-0', 'unchanged'],
    ] as const;
    for (const [id, words] of ids) expect([id, ...(await refusal(ROWS, id))]).toEqual([id, 422, expect.stringContaining(words)]);
    expect(await refusal(`/api/public/data/stream?symbol=${BTC}`, 'ETH-1-5-0')).toEqual([
      422,
      expect.stringContaining('is the id of a stream of ETHUSD-PERP, without a position in BTCUSD-PERP'),
    ]);
  });

  it('names the symbols that an id no longer has, with the id that goes on with the others', async () => {
    market.booted.dataPlane.rows.forget(10);
    const eth = `ETH-1-${(ETH_FROM + 18).toString(36)}-0`;
    const gone = await market.booted.keyed(ROWS, { headers: { 'last-event-id': `BTC-1-5-0.${eth}` } });
    expect([gone.status, gone.json()]).toMatchObject([
      410,
      { code: 'beyond_retention', gone: [{ symbol: BTC, oldest_available_utc: '2026-01-01T00:00:00.000Z' }], resume_id: eth },
    ]);
    const rest = await market.opened(ROWS, eth);
    await rest.until((messages) => partsOf(messages).length >= 2);
    market.append(BTC, 1);
    await rest.until((messages) => partsOf(messages).length >= 3);
    expect(partsOf(rest.messages).map(({ symbol }) => symbol)).toEqual([ETH, ETH, BTC]);
    rest.cut();
    const none = await market.booted.keyed(ROWS, { headers: { 'last-event-id': 'BTC-1-5-0' } });
    expect([none.status, none.json()['resume_id']]).toEqual([410, null]);
  });

  it('says of which symbol a slow reader missed rows, and its from_id has them sent', async () => {
    const slow = await market.opened(ROWS);
    slow.pause();
    const { hub, release } = await market.booted.gateway.streams.hubs.enter(BTC);
    for (let step = 0; step < 5; step += 1) {
      market.append(BTC, 400, 20_000);
      await market.booted.until(() => hub.ring.head().ordinal === market.newest(BTC));
    }
    release();
    slow.resume();
    await slow.until((messages) => messages.some(({ event }) => event === 'skipped'));
    const skipped = JSON.parse(slow.messages.find(({ event }) => event === 'skipped')?.data ?? '{}') as Record<string, string>;
    expect(responseCheck('StreamSkipped')(skipped)).toBeNull();
    expect(skipped['symbol']).toBe(BTC);
    slow.cut();
    const rowsOf = (messages: readonly StreamMessage[]): number[] =>
      partsOf(messages)
        .filter(({ event, symbol }) => event === 'row' && symbol === BTC)
        .map(({ data }) => (JSON.parse(data) as { sequence: number }).sequence);
    const had = rowsOf(
      slow.messages.slice(
        0,
        slow.messages.findIndex(({ event }) => event === 'skipped'),
      ),
    );
    const again = await market.open(ROWS, skipped['from_id']);
    await again.until((messages) => rowsOf(messages).length > 0);
    expect(rowsOf(again.messages)[0]).toBe((had.at(-1) ?? 0) + 1);
    again.cut();
  });

  it('ends where every symbol stands', async () => {
    const stream = await market.opened(ROWS);
    market.append(BTC, 2);
    market.append(ETH, 1);
    await stream.until((messages) => partsOf(messages).filter(({ event }) => event === 'row').length >= 3);
    market.booted.account.revoke(market.booted.key);
    await stream.ended;
    const [end] = ends(stream.messages) as { code: string; resume_id: string }[];
    expect(end).toEqual({ code: 'key_revoked', resume_id: stream.messages.at(-1)?.lastEventId });
    expect(responseCheck('StreamEnd')(end)).toBeNull();
  });

  it('conflated, has one message of each symbol and interval, paid as one, and hides no row and no gap', async () => {
    const stream = await market.opened(`${ROWS}&conflate_ms=300`);
    for (let round = 0; round < 3; round += 1) {
      market.append(BTC, 30);
      market.append(ETH, 30);
      const made = market.newest(BTC) - 20;
      const rowsOf = (symbol: string): number =>
        partsOf(stream.messages)
          .filter((part) => part.symbol === symbol && part.event === 'conflated')
          .map(({ data }) => JSON.parse(data) as { rows: unknown[]; conflated_total: number })
          .reduce((sum, { rows, conflated_total: total }) => sum + rows.length + total, 0);
      await stream.until(() => rowsOf(BTC) >= made && rowsOf(ETH) >= made);
      expect([rowsOf(BTC), rowsOf(ETH)]).toEqual([made, made]);
    }
    const check = responseCheck('StreamConflated');
    const parts = partsOf(stream.messages);
    for (const { event, data } of parts) if (event === 'conflated') expect(check(JSON.parse(data))).toBeNull();
    const gaps = parts
      .filter(({ event, symbol }) => event === 'gap' && symbol === BTC)
      .map(({ data }) => (JSON.parse(data) as { gap_id: string }).gap_id);
    expect(gaps).toHaveLength(
      [...Array(90).keys()].map((at) => at + 21).reduce((sum, at) => sum + (at % 11 === 0 ? 1 : 0) + (at % 33 === 0 ? 1 : 0), 0),
    );
    stream.cut();
    await market.booted.until(() => market.booted.account.credits.spent('ten_1') >= 1);
    expect(market.booted.account.credits.spent('ten_1')).toBe(Math.ceil(parts.length / 100));
  });
});
