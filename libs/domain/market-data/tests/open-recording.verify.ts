import { join } from 'node:path';
import { recordingPass } from '../src/index';
import { digestOf, playFiles } from './open-files';
import { passInput, readLines } from './recording';

const BUNDLED = join(import.meta.dirname, '..', 'recordings', 'binance-coinm');

it('the events of two whole COIN-M files are those of one pass over their lines, up to the last message', async () => {
  const { events, recording } = await playFiles(['20240808', '20240809'].map((day) => join(BUNDLED, `ethusd_perp_${day}.gz`)));
  const input = passInput('ETHUSD-PERP', readLines('ETHUSD-PERP'));
  const pass = [...recordingPass({ ...input, endFeedClockMs: input.span.lastReceivedMs }).events].map(({ event }) => event);
  expect(events).toHaveLength(pass.length);
  expect(digestOf(events)).toBe(digestOf(pass));
  expect(recording.tally.lines).toBe(78_314);
});
