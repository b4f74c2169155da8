import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { withClient } from '@market-state/launcher';
import { startSystem, type System, waitUntil } from '@market-state/testing';

const symbol = 'BTCUSD-PERP';
const feedStart = Math.floor(Date.now() / 10_000) * 10_000;
/** One pass of the recording, rounded up to a multiple of 10 s. */
const passMs = 650_000;
/** Trades of both BTCUSD_PERP files: 2,286 + 2,949. */
const tradesOfPass = 5_235;
const sliceWindows = 4;

let dataDir: string;

beforeAll(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'market-state-restart-'));
});

afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

interface PacketRow {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly lineageDigest: string;
}

async function packetsOf(system: System): Promise<PacketRow[]> {
  const sql = 'SELECT window_end_ms, packet_digest, lineage_digest FROM packet WHERE symbol = $1 ORDER BY window_end_ms';
  const { rows } = await withClient(system.stores.postgresUrl('labeling'), (client) =>
    client.query<{ window_end_ms: string; packet_digest: string; lineage_digest: string }>(sql, [symbol]),
  );
  return rows.map((row) => ({
    windowEndMs: Number(row.window_end_ms),
    packetDigest: row.packet_digest,
    lineageDigest: row.lineage_digest,
  }));
}

async function untilPacketsReach(system: System, windowEndMs: number): Promise<PacketRow[]> {
  return waitUntil(`a packet for ${new Date(windowEndMs).toISOString()}`, async () => {
    const packets = await packetsOf(system);
    return (packets.at(-1)?.windowEndMs ?? 0) >= windowEndMs && packets;
  });
}

async function start(feedSpeed: string, folder?: string): Promise<System> {
  return startSystem({
    dataDir: folder,
    runs: ['data-plane-feed', 'data-plane-recorder', 'labeling'],
    settings: { FEED: 'recording', FEED_SPEED: feedSpeed, FEED_START: String(feedStart), SYMBOLS: symbol },
  });
}

it('gives the same packets at recorded speed and at full speed, over three passes and a restart', async () => {
  const atRecordedSpeed = await start('1');
  try {
    const before = await start('max', dataDir);
    await untilPacketsReach(before, feedStart + 1.5 * passMs);
    await before.stop();
    const after = await start('max', dataDir);
    const fast = await untilPacketsReach(after, feedStart + 3 * passMs);

    expect(fast.map(({ windowEndMs }) => windowEndMs)).toEqual(fast.map((_, index) => (fast[0]?.windowEndMs ?? 0) + index * 10_000));

    const counted = await withClient(after.stores.postgresUrl('data_plane'), async (client) => {
      const trades = await client.query<{ pass: number; total: string; ids: string }>(
        "SELECT pass, count(*) AS total, count(DISTINCT venue_id) AS ids FROM log_entry WHERE symbol = $1 AND channel = 'trade' AND pass <= 2 GROUP BY pass ORDER BY pass",
        [symbol],
      );
      const entries = await client.query<{ total: string; last: string }>(
        'SELECT count(*) AS total, max(ordinal) AS last FROM log_entry WHERE symbol = $1',
        [symbol],
      );
      return { trades: trades.rows, entries: entries.rows[0] };
    });
    const whole = String(tradesOfPass);
    expect(counted.trades).toEqual([1, 2].map((pass) => ({ pass, total: whole, ids: whole })));
    expect(counted.entries?.total).toBe(counted.entries?.last);
    await after.stop();

    const slow = await untilPacketsReach(atRecordedSpeed, feedStart + sliceWindows * 10_000);
    expect(slow.length).toBeGreaterThanOrEqual(sliceWindows - 1);
    expect(slow).toEqual(fast.slice(0, slow.length));
  } finally {
    await atRecordedSpeed.stop();
  }
});
