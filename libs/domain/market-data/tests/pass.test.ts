import { nextShift, openRecording, recordingPass, type MarketEvent } from '../src/index';
import type { RecordingPassInput } from '../src/recording-log';
import { DAY_MS, diff, eventsOf, handMadePass, inShort, line, snapshot, trade } from './messages';
import { passInput, readLines } from './recording';

const recorded = readLines('BTCUSD-PERP').slice(0, 4_000);
const input = passInput('BTCUSD-PERP', recorded);

function ticksOf(events: readonly MarketEvent[]): number[] {
  return events.flatMap((event) => (event.kind === 'tick' ? [event.feedClockMs] : []));
}

describe('a pass of a recording', () => {
  it('gives the same events each time, whole or as a recording of any format is played', async () => {
    const events = eventsOf(input);
    expect(eventsOf(input)).toEqual(events);
    async function* batches() {
      for (let at = 0; at < recorded.length; at += 300) yield recorded.slice(at, at + 300);
    }
    const [forSpan, forPass] = await Promise.all([1, 2].map(() => openRecording([{ name: 'cut', lines: batches() }])));
    expect(await forSpan?.span()).toEqual(input.span);
    const played: MarketEvent[] = [];
    for await (const batch of forPass?.pass(input).events ?? []) played.push(...batch.map(({ event }) => event));
    expect(played).toEqual(events);
  });

  it('gives the same events with and without the bookTicker lines', () => {
    expect(eventsOf({ ...input, lines: recorded.filter((text) => !text.includes('@bookTicker')) })).toEqual(eventsOf(input));
  });

  it('numbers its events from the first ordinal, with the epoch and pass it was given', () => {
    const events = eventsOf({ ...input, firstOrdinal: 5_001, epoch: 3, pass: 7 });
    expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, index) => 5_001 + index));
    expect(new Set(events.map(({ epoch, pass }) => `${epoch} ${pass}`))).toEqual(new Set(['3 7']));
  });

  it('moves every time by the shift and changes nothing else', () => {
    const shiftMs = 63_149_560_000;
    const moved = eventsOf({ ...input, shiftMs, endFeedClockMs: input.endFeedClockMs + shiftMs });
    const back = moved.map((event) => {
      const times = { exchangeTsMs: event.exchangeTsMs - shiftMs, receivedTsMs: event.receivedTsMs - shiftMs };
      return event.kind === 'tick' ? { ...event, ...times, feedClockMs: event.feedClockMs - shiftMs } : { ...event, ...times };
    });
    expect(back).toEqual(eventsOf(input));
  });

  it('refuses a shift that would move windows', () => {
    expect(() => recordingPass({ ...input, shiftMs: 5_000 })).toThrow(RangeError);
  });

  it('keeps receive times of the recording, floored to milliseconds, as due times that never fall', () => {
    const entries = [...recordingPass(input).events];
    const due = entries.map(({ dueFeedClockMs }) => dueFeedClockMs);
    expect(due).toEqual([...due].sort((a, b) => a - b));
    expect(entries.every(({ dueFeedClockMs, event }) => event.receivedTsMs === dueFeedClockMs)).toBe(true);
    expect(due[0]).toBe(1_723_161_256_172);
    const first = entries.find(({ event }) => event.kind === 'trade');
    expect([first?.event.exchangeTsMs, first?.dueFeedClockMs]).toEqual([1_723_161_257_679, 1_723_161_256_419]);
  });

  it('ticks once at every multiple of 250 ms, on to the next pass and without a break over the seam', () => {
    const shiftMs = nextShift(input.span, 0);
    const second: RecordingPassInput = {
      ...input,
      pass: 2,
      shiftMs,
      endFeedClockMs: input.endFeedClockMs + shiftMs,
      previousLastExchangeMs: input.span.lastExchangeMs,
    };
    const ticks = [...ticksOf(eventsOf(input)), ...ticksOf(eventsOf(second))];
    expect(ticks[0]).toBe(1_723_161_256_250);
    expect(ticks).toEqual(ticks.map((_, index) => 1_723_161_256_250 + index * 250));
    expect(ticks).toHaveLength((2 * shiftMs) / 250);
  });

  it('begins with seam and connected, or with connected alone when it follows no other', () => {
    const [connected] = eventsOf(input);
    expect(connected).toMatchObject({
      kind: 'feed_status',
      exchangeTsIsReceiveTime: true,
      exchangeTsMs: 1_723_161_256_172,
      status: {
        type: 'connected',
        channels: ['book', 'trade'],
        bookStalenessMs: 5_000,
        tradeStalenessMs: 60_000,
        contextStalenessMs: 120_000,
        closingLagMs: 1_000,
        sourceKind: 'recorded',
      },
    });
    const [seam, second] = eventsOf({ ...input, pass: 2, shiftMs: 650_000, previousLastExchangeMs: 1_723_161_904_795 });
    expect(seam).toMatchObject({ kind: 'feed_status', status: { type: 'seam', startMs: 1_723_161_904_795, endMs: 1_723_161_907_432 } });
    expect(seam?.kind === 'feed_status' && 'gapId' in seam.status && seam.status.gapId).toMatch(/^gap_[0-9a-hjkmnp-tv-z]{26}$/);
    expect(second).toMatchObject({ status: { type: 'connected' } });
  });

  it('puts a tick before a message received in the same millisecond', () => {
    expect(inShort(eventsOf(handMadePass([line(0, trade(DAY_MS, 1)), line(250, trade(DAY_MS + 250, 2))], 500)))).toEqual([
      'connected',
      'tick 0',
      'trade 0 #1',
      'tick 250',
      'trade 250 #2',
    ]);
  });

  it('publishes a book at the first message past its bucket, else at the tick at the closing lag less 250 ms, before that tick', () => {
    const at = (ms: number): number => DAY_MS + ms;
    const lines = [
      line(10, snapshot(at(10), 5, [['100', '1']], [['101', '1']])),
      line(20, diff(at(20), [4, 6, 3], [['100.5', '1']], [])),
      line(260, trade(at(260), 1)),
      line(270, diff(at(240), [7, 8, 6], [['100.6', '1']], [])),
      line(280, diff(at(280), [9, 9, 8], [['100.7', '1']], [])),
      line(300, diff(at(300), [10, 10, 9], [], [['100.9', '2']])),
      line(1_600, trade(at(1_600), 2)),
    ];
    expect(inShort(eventsOf(handMadePass(lines, 1_750)))).toEqual([
      'connected',
      'tick 250',
      'book 20 #6 100.5/101',
      'trade 260 #1',
      'tick 500',
      'tick 750',
      'tick 1000',
      'book 300 #10 100.7/100.9',
      'tick 1250',
      'tick 1500',
      'trade 1600 #2',
    ]);
  });

  it('writes the book that still waits when the pass ends, as the last entry', () => {
    const lines = [line(10, snapshot(DAY_MS + 10, 5, [['100', '1']], [['101', '1']]))];
    expect(inShort(eventsOf(handMadePass(lines, 400)))).toEqual(['connected', 'tick 250', 'book 10 #5 100/101']);
  });

  it('counts a line without a receive time and goes on', () => {
    const pass = recordingPass(handMadePass([line(0, trade(DAY_MS, 1)), 'no time {}', '', line(5, trade(DAY_MS + 5, 2))], 200));
    expect(inShort([...pass.events].map(({ event }) => event))).toEqual(['connected', 'tick 0', 'trade 0 #1', 'trade 5 #2']);
    expect(pass.rejections.broken_line).toBe(2);
  });

  it('never lets its clock fall when receive times do', () => {
    const events = eventsOf(handMadePass([line(600, trade(DAY_MS, 1)), line(100, trade(DAY_MS + 5, 2))], 800));
    expect(events.map(({ receivedTsMs }) => receivedTsMs - DAY_MS)).toEqual([600, 600, 600, 750]);
  });

  it('turns real lines into these events', () => {
    const events = eventsOf(input);
    const books = events.filter((event) => event.kind === 'book').slice(0, 2);
    const trades = events.filter((event) => event.kind === 'trade').slice(0, 3);
    expect(events.slice(0, 3)).toMatchSnapshot('start');
    expect(books.map((book) => ({ ...book, bids: book.bids.slice(0, 3), asks: book.asks.slice(0, 3) }))).toMatchSnapshot('books');
    expect(trades).toMatchSnapshot('trades');
  });
});
