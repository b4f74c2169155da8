import { gunzipSync } from 'node:zlib';
import { loadPolicy, reduce, restoreState, serializeState, sha256Hex, StateRestoreError } from '@market-state/labeler';
import { waitUntil } from '@market-state/testing';
import type { Labeler } from '../src';
import { createPolicyLabeler } from '../src/labeling/policy-labeler';
import { BTC, checkpointsPurely, ETH, type LabelingBench, labelPurely, type RunningLabeling, startBench } from './labeling-under-test';
import { syntheticLog } from './synthetic-log';

/** A whole hour. */
const HOUR_MS = 1_700_002_800_000;
const events = syntheticLog({ symbol: BTC, seconds: 150, seed: 21, stepMs: 1_000, startMs: HOUR_MS - 80_000 });
const packets = labelPurely(events);
const [expected] = checkpointsPurely(events);
const closing = expected?.ordinal ?? 0;
const labeler = createPolicyLabeler(loadPolicy());

let bench: LabelingBench;
beforeEach(async () => {
  bench = await startBench();
});
afterEach(() => bench.stop());

async function checkpointOf(symbol: string): Promise<void> {
  await waitUntil('a checkpoint', async () => (await bench.storedCheckpoints(symbol)).length > 0);
}

function metric(running: RunningLabeling, name: string): Promise<number | undefined> {
  return running.metric(`${name}{symbol="${BTC}",service="labeling"}`);
}

test.each([1, 37, 1_000])(
  'the state right after the entry that closes an hour is stored for any batch size (steps of %i)',
  async (step) => {
    const running = await bench.start({}, [BTC]);
    const stepsFrom = Math.max(0, closing - 5 * step);
    await bench.append(events.slice(0, stepsFrom));
    for (let from = stepsFrom; from < events.length; from += step) await bench.append(events.slice(from, from + step));
    await bench.waitForPackets(BTC, packets.length);
    await expect(bench.storedCheckpoints(BTC)).resolves.toEqual([expected]);
    await running.close();
  },
);

test("a service that ends between an hour's packet and its checkpoint stores it when it is back", async () => {
  await bench.append(events.slice(0, closing));
  const first = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, packets.filter(({ closingOrdinal }) => closingOrdinal <= closing).length);
  await checkpointOf(BTC);
  await first.close();
  await bench.sql(`DELETE FROM checkpoint`);
  await bench.sql('DELETE FROM labeler_state');
  const second = await bench.start({}, [BTC]);
  await bench.append(events.slice(closing));
  await bench.waitForPackets(BTC, packets.length);
  await checkpointOf(BTC);
  await expect(bench.storedCheckpoints(BTC)).resolves.toEqual([expected]);
  await expect(bench.storedDigests(BTC)).resolves.toEqual(packets.map(({ packetDigest }) => packetDigest));
  await second.close();
});

test('the saved state never passes an hour whose checkpoint is not stored', async () => {
  await bench.ownerSql(`CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'not now'; END; $$`);
  await bench.ownerSql('CREATE TRIGGER refuse BEFORE INSERT ON checkpoint FOR EACH ROW EXECUTE FUNCTION refuse()');
  await bench.append(events);
  const running = await bench.start({}, [BTC]);
  await waitUntil('two tries', async () => ((await metric(running, 'labeling_restarts_total')) ?? 0) >= 2);
  const saved = await bench.sql<{ ordinal: number }>('SELECT ordinal::float8 AS ordinal FROM labeler_state');
  expect(saved.every(({ ordinal }) => ordinal < closing)).toBe(true);
  await bench.ownerSql('DROP TRIGGER refuse ON checkpoint');
  await bench.waitForPackets(BTC, packets.length);
  await expect(bench.storedCheckpoints(BTC)).resolves.toEqual([expected]);
  await running.close();
});

test('two labelers of one symbol store one checkpoint', async () => {
  const both = [await bench.start({}, [BTC]), await bench.start({}, [BTC])];
  await bench.append(events);
  await bench.waitForPackets(BTC, packets.length);
  for (const running of both) await waitUntil('a checkpoint', async () => (await metric(running, 'labeling_checkpoints_total')) === 1);
  await expect(bench.storedCheckpoints(BTC)).resolves.toEqual([expected]);
  for (const running of both) await expect(metric(running, 'labeling_checkpoints_refused_total')).resolves.toBeUndefined();
  for (const running of both) await running.close();
});

test('a second, different checkpoint is refused with an alarm, and a stored one cannot be changed', async () => {
  await bench.append(events);
  await bench.sql(
    `INSERT INTO checkpoint (symbol, window_end_ms, epoch, ordinal, lineage_digest, policy_digest, state_digest, state)
     VALUES ($1, $2, 1, 1, 'other', 'other', 'other', '')`,
    [BTC, HOUR_MS],
  );
  const running = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, packets.length);
  await expect(metric(running, 'labeling_checkpoints_refused_total')).resolves.toBe(1);
  const alarm = bench.lines.find((line) => line.includes('checkpoint refused'));
  expect(JSON.parse(alarm ?? '{}')).toMatchObject({
    level: 'error',
    windowEndMs: HOUR_MS,
    stateDigest: expected?.stateDigest,
    storedStateDigest: 'other',
  });
  await expect(bench.sql(`UPDATE checkpoint SET epoch = 2`)).rejects.toThrow('permission denied');
  await expect(bench.ownerSql(`UPDATE checkpoint SET epoch = 2`)).rejects.toThrow('never changed');
  await running.close();
});

test('where the saved state cannot be continued, the new chain has a checkpoint at its first packet: it can be made again from there', async () => {
  const half = packets.findIndex(({ windowEndMs }) => windowEndMs === HOUR_MS) - 3;
  const seam = packets[half]?.closingOrdinal ?? 0;
  await bench.append(events.slice(0, seam));
  const first = await bench.start({}, [BTC]);
  await bench.waitForPackets(BTC, half + 1);
  await first.close();

  const otherForm: Labeler = {
    begin: (symbol) => labeler.begin(symbol),
    resume() {
      throw new StateRestoreError('stored state has format 0');
    },
  };
  await bench.log.trim(BTC, { epoch: 1, ordinal: 100 });
  const second = await bench.start({ labeler: otherForm }, [BTC]);
  await bench.append(events.slice(seam));
  await bench.waitForPackets(BTC, packets.length);
  await expect(metric(second, 'labeling_new_chains_total')).resolves.toBe(1);
  expect(bench.lines.filter((line) => line.includes('starting a new chain') && line.includes('format 0'))).toHaveLength(1);
  expect(bench.lines.filter((line) => line.includes('refused'))).toEqual([]);

  const [atSeam, atHour] = await bench.storedCheckpoints(BTC);
  expect([atSeam?.windowEndMs, atHour?.windowEndMs]).toEqual([packets[half + 1]?.windowEndMs, HOUR_MS]);
  const { stateGzip } = await second.client.call.getCheckpoint({ symbol: BTC, windowEndMs: atSeam?.windowEndMs ?? 0 });
  const state = restoreState(gunzipSync(stateGzip), loadPolicy());
  const again = events.slice(atSeam?.ordinal).flatMap((event) => reduce(state, event));
  const stored = await bench.storedDigests(BTC);
  expect(again.map(({ packetDigest }) => packetDigest)).toEqual(stored.slice(half + 2));
  expect(stored.slice(half + 1)).not.toEqual(packets.slice(half + 1).map(({ packetDigest }) => packetDigest));
  await second.close();
});

describe('ListCheckpoints and GetCheckpoint', () => {
  const everything = { symbol: BTC, fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: 0, pageToken: '' };

  test('give what re-derivation begins at: a header for each hour, and the state that its digest is of', async () => {
    await bench.append(events);
    await bench.sql(
      `INSERT INTO checkpoint (symbol, window_end_ms, epoch, ordinal, lineage_digest, policy_digest, state_digest, state)
       SELECT $1, $2::bigint - 3600000 * step, 1, step, 'l', 'p', 's', '' FROM generate_series(1, 4) AS step`,
      [BTC, HOUR_MS],
    );
    const running = await bench.start();
    const { call } = running.client;
    await bench.waitForPackets(BTC, packets.length);
    await waitUntil('the checkpoint', async () => (await bench.storedCheckpoints(BTC)).length === 5);

    const windows: number[] = [];
    let pageToken = '';
    do {
      const page = await call.listCheckpoints({ ...everything, pageSize: 2, pageToken });
      windows.push(...page.checkpoints.map(({ windowEndMs }) => windowEndMs));
      pageToken = page.nextPageToken;
    } while (pageToken !== '');
    expect(windows).toEqual([4, 3, 2, 1, 0].map((step) => HOUR_MS - step * 3_600_000));
    const spanned = await call.listCheckpoints({ ...everything, fromWindowEndMs: HOUR_MS - 3_600_000, toWindowEndMs: HOUR_MS });
    expect(spanned.checkpoints.map(({ windowEndMs }) => windowEndMs)).toEqual([HOUR_MS - 3_600_000]);

    const { header, stateGzip } = await call.getCheckpoint({ symbol: BTC, windowEndMs: HOUR_MS });
    expect(header).toEqual(expected);
    const state = gunzipSync(stateGzip);
    expect(sha256Hex(state)).toBe(expected?.stateDigest);
    const restored = restoreState(state, loadPolicy());
    const later = events.slice(closing).flatMap((event) => reduce(restored, event));
    expect(later.map(({ packetDigest }) => packetDigest)).toEqual(
      packets.filter((packet) => packet.closingOrdinal > closing).map(({ packetDigest }) => packetDigest),
    );
    expect(serializeState(restored).length).toBeGreaterThan(0);

    await expect(call.getCheckpoint({ symbol: ETH, windowEndMs: HOUR_MS })).rejects.toMatchObject({
      code: 'NOT_FOUND',
      reason: 'checkpoint_not_found',
    });
    await expect(call.getCheckpoint({ symbol: 'x', windowEndMs: 5 })).rejects.toMatchObject({
      faults: [{ field: 'symbol' }, { field: 'window_end_ms' }],
    });
    await expect(call.getCheckpoint({ symbol: 'DOGEUSD-PERP', windowEndMs: HOUR_MS })).rejects.toMatchObject({ reason: 'unknown_symbol' });
    await expect(call.listCheckpoints({ ...everything, symbol: 'x', pageSize: 1_001, pageToken: 'nonsense' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENT',
      faults: [{ field: 'symbol' }, { field: 'page_size' }, { field: 'page_token' }],
    });
    await running.close();
  });
});
