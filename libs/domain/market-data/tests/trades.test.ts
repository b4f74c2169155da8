import type { TradeEvent } from '../src/index';
import { compareDecimals } from '../src/decimal';
import { rawRecording, recordedPass } from './recording';

/** Minute, open, high, low, close, contracts, trades, as counted by the recording's publisher. */
const BTC_MINUTES = [
  ['23:54', 61804.8, 61839.0, 61801.0, 61809.9, 3704, 178],
  ['23:55', 61809.1, 61845.0, 61764.5, 61764.5, 2836, 164],
  ['23:56', 61763.7, 61763.7, 61708.8, 61710.9, 4340, 189],
  ['23:57', 61708.9, 61720.5, 61632.0, 61642.0, 21428, 479],
  ['23:58', 61633.6, 61728.6, 61610.0, 61699.2, 36372, 875],
  ['23:59', 61699.2, 61730.6, 61659.0, 61668.6, 14559, 400],
  ['00:00', 61668.7, 61730.6, 61611.6, 61611.7, 9698, 449],
  ['00:01', 61611.6, 61623.7, 61536.4, 61576.4, 45607, 942],
  ['00:02', 61581.4, 61697.7, 61581.4, 61611.9, 18960, 646],
  ['00:03', 61611.9, 61682.9, 61600.2, 61632.2, 8001, 425],
  ['00:04', 61632.3, 61691.1, 61600.0, 61600.1, 13092, 439],
  ['00:05', 61600.0, 61606.1, 61600.0, 61600.0, 3586, 49],
];

function tradesOf(symbol: string): readonly TradeEvent[] {
  return recordedPass(symbol)
    .map(({ event }) => event)
    .filter((event) => event.kind === 'trade');
}

describe('trades of the recordings', () => {
  it('give the published figures of every BTCUSD_PERP minute', () => {
    const minutes = new Map<string, TradeEvent[]>();
    for (const trade of tradesOf('BTCUSD-PERP')) {
      const minute = new Date(trade.exchangeTsMs).toISOString().slice(11, 16);
      minutes.set(minute, [...(minutes.get(minute) ?? []), trade]);
    }
    const rows = [...minutes].map(([minute, trades]) => {
      const prices = trades.map((trade) => trade.price);
      const sorted = [...prices].sort(compareDecimals);
      const contracts = trades.reduce((sum, trade) => sum + Number(trade.venueSize), 0);
      return [minute, Number(prices[0]), Number(sorted.at(-1)), Number(sorted[0]), Number(prices.at(-1)), contracts, trades.length];
    });
    expect(rows).toEqual(BTC_MINUTES);
  });

  it.each([
    ['BTCUSD-PERP', 1_190],
    ['ETHUSD-PERP', 1_192],
  ])('%s: each was received 1.19 to 1.27 s before its exchange time, by the clock of the machine that recorded it', (symbol, leastMs) => {
    const aheadMs = tradesOf(symbol).map(({ exchangeTsMs, receivedTsMs }) => exchangeTsMs - receivedTsMs);
    expect([Math.min(...aheadMs), Math.max(...aheadMs)]).toEqual([leastMs, 1_269]);
  });

  it.each([
    ['BTCUSD-PERP', 100n],
    ['ETHUSD-PERP', 10n],
  ])('%s: each has the id, price, taker side and size of its message', (symbol, contractValue) => {
    const { trades: messages } = rawRecording(symbol);
    const events = tradesOf(symbol);
    const facts = events.map(({ venueId, exchangeTsMs, price, venueSize, aggressorSide }) => [
      venueId,
      exchangeTsMs,
      Number(price),
      venueSize,
      aggressorSide,
    ]);
    expect(facts).toEqual(messages.map(({ t, T, p, q, m }) => [String(t), T, Number(p), q, m ? 'sell' : 'buy']));
    const isExact = events.map((trade, index) => {
      const { p = '', q = '' } = messages[index] ?? {};
      const [whole = '', fraction = ''] = p.split('.');
      // size × price is contracts × contract value, to within half of the last of 12 decimals
      const [sizeWhole = '', sizeFraction = ''] = trade.size.split('.');
      const size = BigInt(sizeWhole + sizeFraction.padEnd(12, '0'));
      const scale = 10n ** BigInt(fraction.length);
      const error = size * BigInt(whole + fraction) - BigInt(q) * contractValue * scale * 10n ** 12n;
      return 2n * (error < 0n ? -error : error) <= BigInt(whole + fraction);
    });
    expect(isExact.filter((exact) => !exact)).toEqual([]);
  });
});
