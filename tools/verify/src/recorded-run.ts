import { join } from 'node:path';
import { createHash } from 'node:crypto';
import { startSystem as launchSystem, type System, type SystemOptions, withClient } from '@market-state/launcher';
import { comesTrue, startSystem, openFolder, sumOf, withCloser } from '@market-state/testing';
import type { SuiteContext } from './harness';

/** Data of one symbol in the databases after a run, up to a common end; compared field by field. */
interface Retained {
  readonly rows: readonly { readonly ordinal: number; readonly digest: string }[];
  readonly packets: readonly RetainedPacket[];
  readonly checkpoints: readonly RetainedCheckpoint[];
}

interface RetainedPacket {
  readonly windowEndMs: number;
  readonly packetDigest: string;
  readonly lineageDigest: string;
  /** Hex; null if unsigned. */
  readonly signature: string | null;
  readonly signingKeyId: string | null;
}

interface RetainedCheckpoint {
  readonly windowEndMs: number;
  readonly epoch: number;
  readonly ordinal: number;
  readonly stateDigest: string;
  readonly lineageDigest: string;
}

interface Extent {
  readonly lastOrdinal: number;
  readonly lastWindowEndMs: number;
}

export async function extentOf(system: System, symbol: string): Promise<Extent> {
  const rows = await query<{ last: string | null }>(system, 'data_plane', 'SELECT max(ordinal) AS last FROM log_entry WHERE symbol = $1', [
    symbol,
  ]);
  const packets = await query<{ last: string | null }>(
    system,
    'labeling',
    'SELECT max(window_end_ms) AS last FROM packet WHERE symbol = $1',
    [symbol],
  );
  return { lastOrdinal: Number(rows[0]?.last ?? 0), lastWindowEndMs: Number(packets[0]?.last ?? 0) };
}

async function retainedOf(system: System, symbol: string, upTo: Extent): Promise<Retained> {
  const rows = await query<{ ordinal: string; epoch: number; payload: Buffer }>(
    system,
    'data_plane',
    'SELECT ordinal, epoch, payload FROM log_entry WHERE symbol = $1 AND ordinal <= $2 ORDER BY ordinal',
    [symbol, upTo.lastOrdinal],
  );
  const packets = await query<RetainedPacket & { readonly windowEndMs: string }>(
    system,
    'labeling',
    `SELECT window_end_ms AS "windowEndMs", packet_digest AS "packetDigest", lineage_digest AS "lineageDigest",
       encode(signature, 'hex') AS signature, signing_key_id AS "signingKeyId"
     FROM packet WHERE symbol = $1 AND window_end_ms <= $2 ORDER BY window_end_ms`,
    [symbol, upTo.lastWindowEndMs],
  );
  // A checkpoint is stored before the packet after it, so all up to this packet must exist.
  const checkpoints = await query<RetainedCheckpoint & { readonly windowEndMs: string; readonly ordinal: string }>(
    system,
    'labeling',
    `SELECT window_end_ms AS "windowEndMs", epoch, ordinal, state_digest AS "stateDigest", lineage_digest AS "lineageDigest"
     FROM checkpoint WHERE symbol = $1 AND window_end_ms < $2 ORDER BY window_end_ms`,
    [symbol, upTo.lastWindowEndMs],
  );
  return {
    rows: rows.map(({ ordinal, epoch, payload }) => ({
      ordinal: Number(ordinal),
      digest: createHash('sha256').update(`${epoch} `).update(payload).digest('hex'),
    })),
    packets: packets.map((row) => ({ ...row, windowEndMs: Number(row.windowEndMs) })),
    checkpoints: checkpoints.map((row) => ({ ...row, windowEndMs: Number(row.windowEndMs), ordinal: Number(row.ordinal) })),
  };
}

function differences(symbol: string, killed: Retained, unbroken: Retained): string[] {
  const found: string[] = [];
  const hole = killed.rows.findIndex(({ ordinal }, index) => ordinal !== index + 1);
  if (hole !== -1) found.push(`${symbol}: the rows have a gap at ordinal ${hole + 1}.`);
  if (killed.rows.length !== unbroken.rows.length)
    found.push(`${symbol}: ${killed.rows.length} rows, ${unbroken.rows.length} in the undisturbed run.`);
  const row = killed.rows.find(({ digest }, index) => digest !== unbroken.rows[index]?.digest);
  if (row !== undefined) found.push(`${symbol}: the row at ordinal ${row.ordinal} differs.`);
  for (const [what, of] of [
    ['packet', ({ packets }: Retained) => packets],
    ['checkpoint', ({ checkpoints }: Retained) => checkpoints],
  ] as const) {
    if (of(killed).length !== of(unbroken).length)
      found.push(`${symbol}: ${of(killed).length} ${what}s, ${of(unbroken).length} in the undisturbed run.`);
    const first = of(killed).find((one, index) => JSON.stringify(one) !== JSON.stringify(of(unbroken)[index]));
    if (first !== undefined)
      found.push(
        `${symbol}: the ${what} of ${new Date(first.windowEndMs).toISOString()} differs: ${fieldsThatDiffer(first, of(unbroken))}.`,
      );
  }
  return found;
}

function fieldsThatDiffer(one: RetainedPacket | RetainedCheckpoint, others: readonly (RetainedPacket | RetainedCheckpoint)[]): string {
  const other = others.find(({ windowEndMs }) => windowEndMs === one.windowEndMs);
  if (other === undefined) return 'missing in the undisturbed run';
  const values = new Map(Object.entries(other));
  return Object.entries(one)
    .flatMap(([field, value]) => (values.get(field) === value ? [] : [field]))
    .join(', ');
}

async function query<Row>(system: System, service: 'data_plane' | 'labeling', sql: string, values: unknown[]): Promise<Row[]> {
  return withClient(system.stores.postgresUrl(service), async (client) => (await client.query(sql, values)).rows as Row[]);
}

export const recordedSymbols = ['BTCUSD-PERP', 'ETHUSD-PERP'];

export const makers: readonly string[] = ['data-plane-feed', 'data-plane-recorder', 'labeling'];

const catchUpLimitMs = 600_000;

interface Recording {
  /** Shifted receive time of its first message in milliseconds since the epoch, a multiple of 10,000. */
  readonly feedStartMs: number;
  readonly speed: number;
  /** Processes of the disturbed run; the other runs `makers`. */
  readonly runs: readonly string[];
}

/**
 * Plays the recording with `disturb`, then again undisturbed at full speed to the same point with the same signing key,
 * and compares rows, packets, chain, signatures and checkpoints.
 * @returns number of checkpoints compared
 */
export async function compareWithUnbroken(
  { closer, report, say }: SuiteContext,
  { feedStartMs, speed, runs }: Recording,
  disturb: (system: System) => Promise<void>,
): Promise<number> {
  const settings = {
    FEED: 'recording',
    FEED_START: String(feedStartMs),
    SYMBOLS: recordedSymbols.join(','),
    SIGNING_KEY_FILE: join(openFolder(closer), 'signing-key.pem'),
  };
  const disturbed = await disturbedRun({ runs, settings: { ...settings, FEED_SPEED: String(speed) } }, disturb);
  say('undisturbed run at full speed');
  const unbroken = await unbrokenRun({ ...settings, FEED_SPEED: 'max' }, disturbed);
  for (const [symbol, { retained: one }] of disturbed) {
    const other = unbroken.get(symbol);
    if (other === undefined) throw new Error(`Nothing was stored for ${symbol}.`);
    const unsignedTotal = one.packets.filter(({ signature }) => signature === null).length;
    report.fail(...differences(symbol, one, other));
    report.check(one.packets.length > 0, `${symbol}: no packet was created.`);
    report.check(unsignedTotal === 0, `${symbol}: ${unsignedTotal} packets are unsigned.`);
    report.figure(
      `${symbol} compared`,
      `${one.rows.length} rows, ${one.packets.length} packets (${one.packets.length - unsignedTotal} signed), ` +
        `${one.checkpoints.length} checkpoints`,
    );
  }
  return sumOf([...disturbed.values()].map(({ retained }) => retained.checkpoints.length));
}

interface Left {
  readonly extent: Extent;
  readonly retained: Retained;
}

function disturbedRun(options: SystemOptions, disturb: (system: System) => Promise<void>): Promise<Map<string, Left>> {
  return withCloser(async (closer) => {
    const system = await startSystem(options);
    closer.add('system', () => system.stop());
    await disturb(system);
    const left = new Map<string, Left>();
    for (const symbol of recordedSymbols) {
      const extent = await extentOf(system, symbol);
      left.set(symbol, { extent, retained: await retainedOf(system, symbol, extent) });
    }
    return left;
  });
}

/** Runs as far as the disturbed run did; it need not be ready. */
function unbrokenRun(settings: NodeJS.ProcessEnv, disturbed: ReadonlyMap<string, Left>): Promise<Map<string, Retained>> {
  return withCloser(async (closer) => {
    const system = await launchSystem({ runs: makers, settings });
    closer.add('system', () => system.stop());
    const retained = new Map<string, Retained>();
    for (const [symbol, { extent: wanted }] of disturbed) {
      let extent: Extent | undefined;
      async function isThere(): Promise<boolean> {
        extent = await extentOf(system, symbol);
        return extent.lastOrdinal >= wanted.lastOrdinal && extent.lastWindowEndMs >= wanted.lastWindowEndMs;
      }
      if (!(await comesTrue(isThere, { limitMs: catchUpLimitMs, everyMs: 500 })))
        throw new Error(`The undisturbed run of ${symbol} is at ordinal ${extent?.lastOrdinal} of ${wanted.lastOrdinal}.`);
      retained.set(symbol, await retainedOf(system, symbol, wanted));
    }
    return retained;
  });
}
