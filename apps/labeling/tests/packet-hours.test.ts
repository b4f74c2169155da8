import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { labeling } from '@market-state/contracts';
import { waitUntil } from '@market-state/testing';
import { BTC, ETH, type LabelingBench, type RunningLabeling, startBench } from './labeling-under-test';
import { events, HOUR_MS as WHOLE_MS, packets } from './three-hours';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

let bench: LabelingBench;
let folder: string;
let running: RunningLabeling;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'packet-hours-'));
  bench = await startBench();
  await bench.append(events);
  await start(3);
  await waitUntil(
    'every packet',
    async () => (await running.client.call.getLatestPacket({ symbol: BTC, asOfMs: 0 })).packet?.sequence === packets.length,
  );
  await waitUntil('both finished hours in files', async () => (await files()).length === 2);
});

afterAll(async () => {
  await running.close();
  await bench.stop();
  rmSync(folder, { recursive: true });
});

async function start(hotDays: number): Promise<void> {
  running = await bench.start({ labelledAgainMs: 0, archivePauseMs: 200 }, [BTC, ETH], {
    archiveUrl: folder,
    keptDays: { hotDays, archiveDays: 30 },
  });
}

function files(state = 'hot'): Promise<{ objectKey: string; sha256: string; bytes: number }[]> {
  return bench.sql(
    `SELECT object_key AS "objectKey", sha256, byte_total::float8 AS bytes FROM archive_file WHERE channel = 'packets' AND state = $1
      ORDER BY hour_ms`,
    [state],
  );
}

function plan(request: Partial<labeling.PlanPacketSpanRequest> = {}): Promise<labeling.PlanPacketSpanResponse> {
  const span = { fromWindowEndMs: WHOLE_MS - DAY_MS, toWindowEndMs: WHOLE_MS + DAY_MS };
  return running.client.call.planPacketSpan({ symbol: BTC, ...span, asOfMs: 0, ...request });
}

/** Packets of each hour that meet a condition. */
function totals(isOf: (packet: labeling.PacketRecord) => boolean, known: readonly labeling.PacketRecord[]): number[][] {
  const hours = known.filter(isOf).map(({ windowEndMs }) => Math.floor(windowEndMs / HOUR_MS) * HOUR_MS);
  return [...new Set(hours)].map((hourMs) => [hourMs, hours.filter((other) => other === hourMs).length]);
}

async function everyPacket(): Promise<labeling.PacketRecord[]> {
  const all: labeling.PacketRecord[] = [];
  for (let pageToken = ''; ; ) {
    const span = { symbol: BTC, fromWindowEndMs: 0, toWindowEndMs: 0, pageSize: 1_000, descending: false, asOfMs: 0 };
    const page = await running.client.call.listPackets({ ...span, pageToken });
    all.push(...page.packets);
    pageToken = page.nextPageToken;
    if (pageToken === '') return all;
  }
}

test('packets of a span are counted by hour, as of an instant too, and each archived hour has its file', async () => {
  const all = await everyPacket();
  const [first, second] = await files();
  const { hours, keptFromMs } = await plan();
  expect(keptFromMs).toBe(packets[0]?.windowEndMs);
  expect(hours.map(({ hourMs, rowTotal }) => [hourMs, rowTotal])).toEqual(totals(() => true, all));
  expect(hours.map(({ file }) => file)).toEqual([first, second, undefined]);

  const span = { fromWindowEndMs: WHOLE_MS - 20_000, toWindowEndMs: WHOLE_MS + 600_000 };
  const inSpan = ({ windowEndMs }: labeling.PacketRecord): boolean =>
    windowEndMs >= span.fromWindowEndMs && windowEndMs < span.toWindowEndMs;
  const cut = await plan(span);
  expect(cut.hours.map(({ hourMs, rowTotal }) => [hourMs, rowTotal])).toEqual(totals(inSpan, all));
  const asOfMs = all[40]?.knownTsMs ?? 0;
  for (const instant of [asOfMs, asOfMs - 1]) {
    const then = await plan({ ...span, asOfMs: instant });
    expect(then.hours.map(({ hourMs, rowTotal }) => [hourMs, rowTotal])).toEqual(
      totals((packet) => inSpan(packet) && packet.knownTsMs <= instant, all),
    );
  }
  expect(await plan({ symbol: ETH })).toEqual({ hours: [], keptFromMs: 0 });
});

test('the plan of hours that are in the archive alone is the same', async () => {
  const before = await plan();
  await running.close();
  await start(0);
  await waitUntil('two hours in the archive alone', async () => (await files('archived')).length === 2);
  expect(await plan()).toEqual(before);
});

test('an hour whose file is being deleted is in no plan', async () => {
  await bench.sql(`UPDATE archive_file SET state = 'ending' WHERE channel = 'packets' AND hour_ms = $1`, [WHOLE_MS - HOUR_MS]);
  const { hours, keptFromMs } = await plan();
  expect(hours.map(({ hourMs }) => hourMs)).toEqual([WHOLE_MS, WHOLE_MS + HOUR_MS]);
  expect(keptFromMs).toBe(WHOLE_MS);
});

test('what was asked wrongly is said field by field', async () => {
  await expect(plan({ symbol: 'x', fromWindowEndMs: 5, toWindowEndMs: 5, asOfMs: -1 })).rejects.toMatchObject({
    faults: [{ field: 'symbol' }, { field: 'to_window_end_ms' }, { field: 'as_of_ms' }],
  });
  await expect(plan({ fromWindowEndMs: 0, toWindowEndMs: 31 * DAY_MS + 1 })).rejects.toMatchObject({
    faults: [{ field: 'to_window_end_ms' }],
  });
  await expect(plan({ symbol: 'NONEUSD-PERP' })).rejects.toMatchObject({ code: 'NOT_FOUND' });
});
