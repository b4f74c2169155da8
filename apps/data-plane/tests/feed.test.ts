import { instrumentOf, nearestShift, recordingSpan } from '@market-state/market-data';
import { type FeedHarness, startFeedHarness, startMs, untilPass } from './feed-harness';
import { expectedLog, shortRecording } from './short-recording';

const btc = shortRecording('BTCUSD-PERP', 6_000);
const eth = shortRecording('ETHUSD-PERP', 4_000);
const firstShiftOf = ({ symbol, lines }: typeof btc) => nearestShift(recordingSpan(lines, instrumentOf(symbol).venueInstrument), startMs);

let harness: FeedHarness;
beforeEach(async () => {
  harness = await startFeedHarness();
});
afterEach(() => harness.stop());
afterAll(() => [btc, eth].forEach((recording) => recording.remove()));

test('as fast as possible, the log is what the pure generator gives, entry for entry, for every symbol', async () => {
  const feed = await harness.start([btc, eth]);
  await Promise.all([untilPass(feed, btc.symbol, 4), untilPass(feed, eth.symbol, 4)]);
  await feed.close();
  for (const recording of [btc, eth]) {
    const expected = expectedLog(recording, firstShiftOf(recording), 3);
    expect((await harness.entries(recording.symbol)).slice(0, expected.length)).toEqual(expected);
  }
});
