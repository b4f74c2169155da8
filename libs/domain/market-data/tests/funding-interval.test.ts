import { instrumentRows, LivePlayer, type MarketEvent, openRecording } from '../src/index';
import { play, textFile } from './open-files';

const HOUR_MS = 3_600_000;
const MINUTE_MS = 60_000;
/** 2023-11-14T16:00:00Z: a payment every 1, 4 or 8 hours is due. */
const PAID_MS = 1_699_977_600_000;

type Names = readonly [venue: 'binance-usdm' | 'binance-coinm', instrument: string];

function markPrice([, name]: Names, atMs: number, nextMs: number): string {
  const data = { e: 'markPriceUpdate', E: atMs, s: name, p: '100.0', i: '100.1', r: '0.00080000', T: nextMs };
  return JSON.stringify({ stream: `${name.toLowerCase()}@markPrice@1s`, data });
}

function fact([, name]: Names, stream: 'fundingInfo' | 'lastFunding', facts: object): string {
  return JSON.stringify({ stream: `${name.toLowerCase()}@${stream}`, data: { symbol: name, ...facts } });
}

function fundingOf(events: readonly MarketEvent[]) {
  return events.flatMap((event) =>
    event.kind === 'context' ? [[event.fundingRate, event.venueFundingRate, event.fundingIntervalHours]] : [],
  );
}

const SENT = '0.00080000';
const UNKNOWN = [undefined, SENT, undefined];
const EIGHT = ['0.0001', SENT, 8];
const FOUR = ['0.0002', SENT, 4];
const ONE = [SENT, undefined, undefined];

/** On a live connection. */
function playedLive([venue, name]: Names, messages: readonly (readonly [atMs: number, text: string])[]) {
  const instrument = instrumentRows.find((row) => row.venue === venue && row.venueInstrument === name && row.feed === 'binance');
  if (instrument === undefined) throw new Error(`the table has no ${name}`);
  const clockMs = messages[0]?.[0] ?? 0;
  const player = new LivePlayer(instrument, { epoch: 1, firstOrdinal: 1, opening: 'first', openingStartMs: 0, clockMs });
  player.connected(clockMs);
  for (const [atMs, text] of messages) player.accept(atMs, `${atMs}000000 ${text}`);
  return fundingOf(player.take().map(({ event }) => event));
}

async function playedRecording(messages: readonly (readonly [atMs: number, text: string])[]) {
  const text = messages.map(([atMs, message]) => `${atMs}000000 ${message}\n`).join('');
  const { events, recording } = await play(await openRecording([textFile('recording', text)]));
  return { funding: fundingOf(events), notes: recording.tally.notes.list() };
}

const usdm: Names = ['binance-usdm', 'SOLUSDT'];

describe.each<Names>([usdm, ['binance-coinm', 'BTCUSD_PERP']])('%s', (...names) => {
  const mark = (atMs: number, nextMs: number) => [atMs, markPrice(names, atMs, nextMs)] as const;

  it('keeps the rate of a payment as sent while the hours between payments are unknown, and no rate an hour', async () => {
    const messages = [mark(PAID_MS + HOUR_MS, PAID_MS + 8 * HOUR_MS), mark(PAID_MS + HOUR_MS + 1_000, PAID_MS + 8 * HOUR_MS)];
    expect(playedLive(names, messages)).toEqual([UNKNOWN, UNKNOWN]);
    const { funding, notes } = await playedRecording(messages);
    expect(funding).toEqual([UNKNOWN, UNKNOWN]);
    expect(notes).toEqual([expect.stringContaining('none of the first lines states the funding interval')]);
  });

  it('follows the interval that the venue lists when it changes', async () => {
    const atMs = PAID_MS + HOUR_MS;
    const messages = [
      [atMs, fact(names, 'fundingInfo', { fundingIntervalHours: 8 })] as const,
      mark(atMs + 1_000, PAID_MS + 8 * HOUR_MS),
      [atMs + 2_000, fact(names, 'fundingInfo', { fundingIntervalHours: 1 })] as const,
      mark(atMs + 3_000, PAID_MS + 2 * HOUR_MS),
    ];
    expect(playedLive(names, messages)).toEqual([EIGHT, ONE]);
    expect(await playedRecording(messages)).toEqual({ funding: [EIGHT, ONE], notes: [] });
  });

  it('does not go on with a live interval that was not confirmed for 15 minutes; a recording keeps it until its next line', async () => {
    const atMs = PAID_MS + HOUR_MS;
    const messages = [
      [atMs, fact(names, 'fundingInfo', { fundingIntervalHours: 8 })] as const,
      mark(atMs + 15 * MINUTE_MS, PAID_MS + 8 * HOUR_MS),
      mark(atMs + 15 * MINUTE_MS + 1_000, PAID_MS + 8 * HOUR_MS),
    ];
    expect(playedLive(names, messages)).toEqual([EIGHT, UNKNOWN]);
    expect((await playedRecording(messages)).funding).toEqual([EIGHT, EIGHT]);
  });

  it('knows the interval from the newest payment to the next where the venue lists none, and follows both', () => {
    const atMs = PAID_MS + HOUR_MS - MINUTE_MS;
    expect(
      playedLive(names, [
        [atMs, fact(names, 'lastFunding', { fundingTime: PAID_MS + 3, fundingRate: '0.0001' })],
        mark(atMs + 1_000, PAID_MS + 8 * HOUR_MS),
        mark(atMs + 2_000, PAID_MS + HOUR_MS),
        mark(PAID_MS + HOUR_MS, PAID_MS + 5 * HOUR_MS),
      ]),
    ).toEqual([EIGHT, ONE, FOUR]);
  });
});

it('does not treat a payment as the newest if another may have followed, nor one hidden by a gap in the mark prices', () => {
  const mark = (atMs: number, nextMs: number) => [atMs, markPrice(usdm, atMs, nextMs)] as const;
  const old = [PAID_MS + 2_000, fact(usdm, 'lastFunding', { fundingTime: PAID_MS - 8 * HOUR_MS })] as const;
  expect(playedLive(usdm, [old, mark(PAID_MS + 3_000, PAID_MS + 8 * HOUR_MS)])).toEqual([UNKNOWN]);
  expect(playedLive(usdm, [mark(PAID_MS - HOUR_MS, PAID_MS), mark(PAID_MS + 5 * HOUR_MS, PAID_MS + 8 * HOUR_MS)])).toEqual([
    UNKNOWN,
    UNKNOWN,
  ]);
});

it('bybit: a ticker without an interval gives the rate of a payment as sent, and no rate an hour', async () => {
  const frame = (type: string, cs: number, data: object): string => {
    const ts = PAID_MS + cs;
    const text = JSON.stringify({ topic: 'tickers.DOGEUSDT', type, data: { symbol: 'DOGEUSDT', ...data }, cs, ts });
    return JSON.stringify({ t: 'recv', conn: 'BYBIT.ws.2', ts: ts / 1_000, data: text });
  };
  const lines = [
    frame('snapshot', 1, { fundingRate: SENT, markPrice: '0.1' }),
    frame('delta', 2, { fundingIntervalHour: '8', markPrice: '0.1' }),
  ];
  const { events } = await play(await openRecording([textFile('bybit', `${lines.join('\n')}\n`)]));
  expect(fundingOf(events)).toEqual([UNKNOWN, EIGHT]);
});
