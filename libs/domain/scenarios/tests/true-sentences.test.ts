import { createState, loadPolicy, reduce } from '@market-state/labeler';
// The check is a test of the labeler's own and no part of what it offers.
// eslint-disable-next-line @nx/enforce-module-boundaries
import { sentenceFaults } from '../../labeler/tests/check-sentences';
import { scenarioSet } from '../src/index';

/** Bytes of a body at most; names and sentences are ASCII. */
const BODY_BYTES_MAX = 25_000;

test('every sentence of every packet of the scenario set is true of its numbers, and no body is over 25 kB', () => {
  const { events } = scenarioSet({ seed: 1 });
  let state: ReturnType<typeof createState> | undefined;
  let packets = 0;
  const faults: string[] = [];
  for (const event of events) {
    state ??= createState(event.symbol, loadPolicy());
    for (const { packet, body } of reduce(state, event)) {
      packets++;
      faults.push(...sentenceFaults(packet));
      if (Buffer.byteLength(body) > BODY_BYTES_MAX) faults.push(`${packet.ts} has ${Buffer.byteLength(body)} bytes`);
    }
  }
  expect(packets).toBeGreaterThan(2_500);
  expect(faults).toEqual([]);
}, 120_000);
