import fc from 'fast-check';
import { instrumentRows, LivePlayer, type LiveStart, LogTailScan, type MarketEvent } from '../src/index';
import { readLines } from './recording';

const RUNS = { numRuns: Number(process.env['PROPERTY_RUNS'] ?? 3) };
const row = instrumentRows.find(({ feed, symbol }) => feed === 'binance' && symbol === 'BTCUSD-PERP');
if (row === undefined) throw new Error('the table has no BTC of Binance');
const instrument = row;
const SPAN_MS = 40_000;

const all = readLines('BTCUSD-PERP');
const receivedMs = (line: string): number => Math.floor(Number(line.slice(0, 19)) / 1_000_000);
const beganMs = receivedMs(all[0] ?? '');
const lines = all.filter((line) => receivedMs(line) < beganMs + SPAN_MS);
const first: LiveStart = { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs: beganMs };

/** Delays each message, preserving their order. */
function hear(player: LivePlayer, lagsMs: readonly number[], from: number, untilMs: number, give: () => void): number {
  let at = from;
  for (; at < lines.length; at += 1) {
    const line = lines[at] ?? '';
    const heardMs = receivedMs(line) + (lagsMs[at % lagsMs.length] ?? 0);
    if (heardMs > untilMs) break;
    player.accept(heardMs, line);
    if (at % 50 === 0) give();
  }
  player.advanceTo(untilMs);
  give();
  return at;
}

function facts(log: readonly MarketEvent[], kind: MarketEvent['kind']): unknown[] {
  return log
    .filter((event) => event.kind === kind)
    .map((event) => {
      if (event.kind === 'book') return [event.venueId, event.exchangeTsMs, event.bids, event.asks];
      return event.kind === 'trade' ? [event.venueId, event.exchangeTsMs, event.price, event.size] : event.exchangeTsMs;
    });
}

function startBehind(log: readonly MarketEvent[], nowMs: number): LiveStart {
  const scan = new LogTailScan();
  log.forEach((event) => scan.accept(event));
  const tail = scan.tail();
  return {
    epoch: 1,
    firstOrdinal: (log.at(-1)?.ordinal ?? 0) + 1,
    opening: 'feed_down',
    openingStartMs: tail.lastExchangeMs,
    clockMs: nowMs,
    tail,
  };
}

function unbroken(): MarketEvent[] {
  const player = new LivePlayer(instrument, first);
  const log: MarketEvent[] = [];
  player.connected(beganMs);
  hear(player, [0], 0, beganMs + SPAN_MS, () => log.push(...player.take().map(({ event }) => event)));
  return log;
}

const lags = fc.array(fc.integer({ min: 0, max: 5 }), { minLength: 1, maxLength: 20 });

it('a book that is made of changes, and numbered trades, go on where another feed ended, as if one feed had written them', () => {
  const whole = unbroken();
  fc.assert(
    fc.property(lags, lags, fc.integer({ min: 8_000, max: 20_000 }), fc.nat(40), fc.nat(8_000), (one, two, endMs, unwritten, noticedMs) => {
      const [writer, standby] = [new LivePlayer(instrument, first), new LivePlayer(instrument, first)];
      const written: MarketEvent[] = [];
      standby.standBy();
      for (const player of [writer, standby]) player.connected(beganMs);
      hear(writer, one, 0, beganMs + endMs, () => written.push(...writer.take().map(({ event }) => event)));
      const log = written.slice(0, written.length - unwritten);
      const takenAtMs = beganMs + endMs + noticedMs;
      const at = hear(standby, two, 0, takenAtMs, () => standby.keep());
      expect(standby.takeOver(startBehind(log, takenAtMs))).toBe(true);
      hear(standby, two, at, beganMs + SPAN_MS, () => log.push(...standby.take().map(({ event }) => event)));

      expect(log.map(({ ordinal }) => ordinal)).toEqual(log.map((_, index) => index + 1));
      expect(log.flatMap((event) => (event.kind === 'feed_status' ? [event.status.type] : []))).toEqual(['connected']);
      expect(facts(log, 'trade').length).toBeGreaterThan(20);
      expect(facts(log, 'trade')).toEqual(facts(whole, 'trade').slice(0, facts(log, 'trade').length));
      expect(facts(whole, 'trade').length - facts(log, 'trade').length).toBeLessThan(5);
      expect(facts(log, 'book')).toEqual(facts(whole, 'book').slice(0, facts(log, 'book').length));
      expect(facts(whole, 'book').length - facts(log, 'book').length).toBeLessThan(5);
      expect(facts(log, 'tick')).toEqual(facts(whole, 'tick'));
    }),
    RUNS,
  );
});
