import { gzipSync } from 'node:zlib';
import { labelLog, POLICY } from '../../tests/label-log';
import { recordingEvents } from '../../tests/recording-events';
import { without } from '../../tests/without';
import { createState } from '../reducer/labeler-state';
import { stateOfKeptCheckpoint } from '../verify/verify-symbol';
import { checkpointOf } from './bundles-of-log';
import { checkpointLine, readCheckpointLine, type CheckpointLine, LineError } from './lines';
import { gunzipWhole, TooLargeError } from '../verify/bundle';

const events = recordingEvents('ETHUSD-PERP');
const half = Math.floor(events.length / 2);
const state = createState('ETHUSD-PERP', POLICY);
const before = labelLog(events.slice(0, half), state);
const checkpoint = checkpointOf(state, before.at(-1)?.windowEndMs ?? 0);
const after = labelLog(events.slice(half), state);

test('a checkpoint survives its line, and labelling goes on from it as if it had never stopped', async () => {
  const read = readCheckpointLine(JSON.parse(checkpointLine(checkpoint)));
  expect(read).toEqual(checkpoint);
  expect(read.ordinal).toBe(half);
  const restored = await stateOfKeptCheckpoint(read, Buffer.from(read.state, 'base64'), POLICY);
  if (typeof restored === 'string') throw new Error(restored);
  expect(labelLog(events.slice(half), restored).map(({ lineageDigest }) => lineageDigest)).toEqual(
    after.map(({ lineageDigest }) => lineageDigest),
  );
});

test.each<[string, Partial<CheckpointLine>, string]>([
  ['state digest', { state_digest: 'a'.repeat(64) }, 'its state has digest'],
  ['window', { window_end_ms: 20_000 }, 'window_end_ms says 20000'],
  ['place', { ordinal: 7 }, 'ordinal says 7'],
  ['epoch', { epoch: 9 }, 'epoch says 9'],
  ['lineage digest', { lineage_digest: 'b'.repeat(64) }, 'lineage_digest says'],
  ['symbol', { symbol: 'BTCUSD-PERP' }, 'symbol says BTCUSD-PERP'],
])('a checkpoint whose %s is not that of its state is no place to begin', async (_what, changed, sentence) => {
  const wrong = { ...checkpoint, ...changed };
  expect(await stateOfKeptCheckpoint(wrong, Buffer.from(wrong.state, 'base64'), POLICY)).toContain(sentence);
});

test('a state that is no gzip is no place to begin, and no more of it is unpacked than allowed', async () => {
  expect(await stateOfKeptCheckpoint(checkpoint, Buffer.from('no gzip'), POLICY)).toBe('its state is not gzip');
  const packed = Uint8Array.from(gzipSync(Buffer.alloc(1_000)));
  expect(await gunzipWhole(packed, 1_000)).toHaveLength(1_000);
  await expect(gunzipWhole(packed, 999)).rejects.toThrow(TooLargeError);
});

test('a line names every fault', () => {
  const read = () => readCheckpointLine({ ...without(checkpoint, 'epoch'), state: '!', extra: 1 });
  expect(read).toThrow(LineError);
  expect(read).toThrow(/epoch is missing/);
  expect(read).toThrow(/extra is not a known field/);
  expect(read).toThrow(/state must be base64/);
});
