import { candleFrame, liveCoin, tradeRow, tradesFrame } from './live-normalizer';

describe('trades against candles', () => {
  /** Pushes the same frame every second, so that the venue is not silent. */
  function push(coin: ReturnType<typeof liveCoin>, fromMs: number, untilMs: number, text: string): void {
    for (let atMs = fromMs; atMs < untilMs; atMs += 1_000) coin.receive(atMs, text);
  }

  /** One trade every 10 s, each with a candle. */
  function minutes(coin: ReturnType<typeof liveCoin>, from: number, to: number, lost: (index: number) => boolean = () => false): void {
    for (let minute = from; minute < to; minute++) {
      for (let index = 0; index < 6; index++) {
        const atMs = minute * 60_000 + index * 10_000 + 1_000;
        const id = minute * 10 + index;
        coin.receive(atMs + 20, ...(lost(index) ? [] : [tradesFrame(tradeRow(atMs, id))]), candleFrame(minute, index + 1));
        push(coin, atMs + 1_000, atMs + 10_000, candleFrame(minute, index + 1));
      }
    }
  }

  it('a minute that lacks trades asks for them, and is a gap when they can not be had', () => {
    const coin = liveCoin();
    minutes(coin, 0, 5);
    minutes(coin, 5, 6, (index) => index === 3);
    coin.logged();
    push(coin, 6 * 60_000 + 1_000, 6 * 60_000 + 6_000, candleFrame(6, 0));
    expect(coin.normalizer.needsSnapshot).toBe(true);
    coin.receive(6 * 60_000 + 6_000, '[]');
    push(coin, 6 * 60_000 + 7_000, 6 * 60_000 + 11_000, candleFrame(6, 0));
    expect(coin.logged()).toEqual(['gap trade 300000..360000 sequence_gap']);
  });

  it('trades that the venue still has make the minute whole', () => {
    const coin = liveCoin();
    minutes(coin, 0, 5);
    minutes(coin, 5, 6, (index) => index === 3);
    push(coin, 6 * 60_000 + 1_000, 6 * 60_000 + 6_000, candleFrame(6, 0));
    coin.receive(6 * 60_000 + 6_000, JSON.stringify([tradeRow(5 * 60_000 + 31_000, 53), tradeRow(5 * 60_000 + 41_000, 54)]));
    coin.logged();
    push(coin, 6 * 60_000 + 7_000, 7 * 60_000, candleFrame(6, 0));
    expect(coin.logged()).toEqual([]);
  });

  it('candles that never agreed are not believed', () => {
    const coin = liveCoin();
    minutes(coin, 0, 9, (index) => index === 0);
    push(coin, 9 * 60_000 + 1_000, 10 * 60_000, candleFrame(9, 0));
    expect(coin.logged().every((line) => line.startsWith('trade'))).toBe(true);
  });
});
