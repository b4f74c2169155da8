import { instrumentOf, type MarketEvent, recordingSpan } from '@market-state/market-data';
import { type FeedHarness, startFeedHarness, untilPass } from './feed-harness';
import { shortRecording } from './short-recording';

const recording = shortRecording('ETHUSD-PERP', 5_000);
const { symbol } = recording;

let harness: FeedHarness;
beforeAll(async () => {
  harness = await startFeedHarness();
});
afterAll(async () => {
  await harness.stop();
  recording.remove();
});

test('over three passes and a restart no trade is lost or duplicated, ordinals are contiguous, passes rise and seams span the time between them', async () => {
  const first = await harness.start([recording]);
  await untilPass(first, symbol, 2);
  await first.close();
  const second = await harness.start([recording]);
  await untilPass(second, symbol, 5);
  await second.close();

  const events = (await harness.events(symbol)).filter(({ pass }) => pass <= 4);
  expect(events.map(({ ordinal }) => ordinal)).toEqual(events.map((_, at) => at + 1));
  expect([...new Set(events.map(({ pass }) => pass))]).toEqual([1, 2, 3, 4]);

  const tradesOf = (pass: number) => events.filter((event) => event.kind === 'trade' && event.pass === pass).map(({ venueId }) => venueId);
  const sent = recording.lines.filter((line) => line.includes('@trade"')).map((line) => /"t":(\d+)/.exec(line)?.[1]);
  for (const pass of [1, 2, 3, 4]) expect(tradesOf(pass)).toEqual(sent);

  const seams = events.flatMap((event) => (event.kind === 'feed_status' && event.status.type === 'seam' ? [event.status] : []));
  const { firstExchangeMs, lastExchangeMs } = recordingSpan(recording.lines, instrumentOf(symbol).venueInstrument);
  const bounds = [1, 2, 3, 4]
    .map((pass) => shiftOf(events, pass))
    .map((shift) => ({ first: firstExchangeMs + shift, last: lastExchangeMs + shift }));
  expect(seams.map(({ startMs, endMs }) => ({ startMs, endMs }))).toEqual(
    bounds.slice(1).map(({ first }, at) => ({ startMs: bounds[at]?.last, endMs: first })),
  );
  expect(new Set(seams.map(({ gapId }) => gapId)).size).toBe(3);
});

/** Shift of a pass, from its first trade. */
function shiftOf(events: readonly MarketEvent[], pass: number): number {
  const trade = events.find((event) => event.kind === 'trade' && event.pass === pass);
  const line = recording.lines.find((each) => each.includes(`"t":${trade?.venueId},`)) ?? '';
  return (trade?.exchangeTsMs ?? 0) - Number(/"T":(\d+)/.exec(line)?.[1]);
}
