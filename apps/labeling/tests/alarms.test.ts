import { createHash } from 'node:crypto';
import { loadPolicy, StateRestoreError } from '@market-state/labeler';
import { waitUntil } from '@market-state/testing';
import type { Labeler, Reducer } from '../src';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import { BTC, labelPurely, type LabelingBench, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

let bench: LabelingBench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

const events = syntheticLog({ symbol: BTC, seconds: 120, seed: 3 });
const expected = labelPurely(events);
const digests = expected.map((packet) => packet.packetDigest);
const labeler = createPolicyLabeler(loadPolicy());

function anotherPolicy(): never {
  throw new StateRestoreError('stored state was made under another policy');
}

/** Makes another packet of each window. */
function differing(reducer: Reducer): Reducer {
  return {
    serialize: () => reducer.serialize(),
    reduce: (event) =>
      reducer.reduce(event).map((packet) => {
        const body = packet.body.replace('{', '{"differs":true,');
        return { ...packet, body, packetDigest: createHash('sha256').update(body).digest('hex') };
      }),
  };
}

test('a second, different packet for a window is refused with an alarm, and the service goes on', async () => {
  const half = Math.floor(expected.length / 2);
  const firstPart = events.slice(0, expected[half]?.closingOrdinal);
  await bench.append(firstPart);
  const first = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, half + 1);
  await first.close();
  await bench.sql('DELETE FROM labeler_state');

  const differingLabeler: Labeler = { begin: (symbol) => differing(labeler.begin(symbol)), resume: anotherPolicy };
  const second = await bench.start({ labeler: differingLabeler }, [BTC]);
  await bench.append(events.slice(firstPart.length));
  await bench.waitForPackets(BTC, expected.length);
  const stored = await bench.storedDigests(BTC);
  expect(stored.slice(0, half + 1)).toEqual(digests.slice(0, half + 1));
  await expect(second.metric(`labeling_packets_refused_total{symbol="${BTC}",service="labeling"}`)).resolves.toBe(half + 1);
  await waitUntil('an alarm of each', () => {
    // One per kind and second is logged, with the number since the last.
    const alarms = bench.lines.filter((line) => line.includes('packet refused')).map((line) => JSON.parse(line) as { repeated?: number });
    return alarms.reduce((sum, { repeated = 1 }) => sum + repeated, 0) === half + 1;
  });
  const { packet } = await second.client.call.getLatestPacket({ symbol: BTC, asOfMs: 0 });
  expect(packet?.windowEndMs).toBe(expected.at(-1)?.windowEndMs);
  await second.close();
});

test('entries trimmed before they were labelled raise an alarm, and labelling goes on with what is there', async () => {
  await bench.append(events.slice(0, 1));
  const first = await bench.start({}, [BTC]);
  await waitUntil(
    'the first position',
    async () => (await first.metric(`labeling_log_entries_total{symbol="${BTC}",service="labeling"}`)) === 1,
  );
  await first.close();

  await bench.append(events.slice(1));
  await bench.log.trim(BTC, { epoch: 1, ordinal: 400 });
  const second = await bench.start({}, [BTC]);
  await waitUntil('packets', async () => (await bench.storedDigests(BTC)).length > 5);
  await expect(second.metric(`labeling_log_holes_total{symbol="${BTC}",service="labeling"}`)).resolves.toBe(1);
  const alarm = bench.lines.find((line) => line.includes('log entries are missing'));
  expect(JSON.parse(alarm ?? '{}')).toMatchObject({ level: 'error', after: '1-1', next: '1-400', missing: 398 });
  await second.close();
});

test('a state of another policy raises an alarm, and a new chain begins after the newest stored packet', async () => {
  const half = Math.floor(expected.length / 2);
  await bench.append(events.slice(0, expected[half]?.closingOrdinal));
  const first = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, half + 1);
  await first.close();

  const second = await bench.start(
    { labeler: { ...labeler, begin: (symbol) => differing(labeler.begin(symbol)), resume: anotherPolicy } },
    [BTC],
  );
  await bench.append(events.slice(expected[half]?.closingOrdinal));
  await bench.waitForPackets(BTC, expected.length);
  const stored = await bench.storedDigests(BTC);
  expect(stored.slice(0, half + 1)).toEqual(digests.slice(0, half + 1));
  expect(stored.slice(half + 1).some((digest) => digests.includes(digest))).toBe(false);
  expect(bench.lines.filter((line) => line.includes('starting a new chain'))).toHaveLength(1);
  expect(bench.lines.filter((line) => line.includes('packet refused'))).toEqual([]);
  await second.close();
});

test('a stored packet cannot be changed', async () => {
  await bench.append(events);
  const running = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, expected.length);
  await expect(bench.sql(`UPDATE packet SET headline = 'another'`)).rejects.toThrow('permission denied');
  await expect(bench.ownerSql(`UPDATE packet SET headline = 'another'`)).rejects.toThrow('never changed');
  await running.close();
});
