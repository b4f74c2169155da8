import { type System, withClient } from '@market-state/launcher';
import { openCommandLine } from '@market-state/testing';
import type { Report } from '../harness';

const WINDOW_MS = 10_000;

export interface JudgedMarket {
  readonly system: { readonly stores: Pick<System['stores'], 'postgresUrl'>; readonly dataDir: string };
  readonly symbol: string;
  /** Environment that authorizes the operator's command. */
  readonly operator: NodeJS.ProcessEnv;
}

interface EntryRow {
  readonly epoch: number;
  readonly ordinal: number;
}

/**
 * Checks that the symbol's rows and packets are contiguous and that every packet can be recomputed from the rows, and
 * reports its gaps.
 */
export async function judgeMarket(report: Report, market: JudgedMarket): Promise<void> {
  const { symbol } = market;
  const query = <Row>(service: 'data_plane' | 'labeling', sql: string) => queryOf<Row>(market, service, sql);
  const rows = await query<EntryRow>(
    'data_plane',
    `SELECT epoch, ordinal::int AS ordinal FROM log_entry WHERE symbol = $1 ORDER BY ordinal`,
  );
  const hole = rows.findIndex(({ ordinal }, index) => index > 0 && ordinal !== (rows[index - 1]?.ordinal ?? 0) + 1);
  report.check(hole === -1, `The rows of ${symbol} have a gap at ordinal ${rows[hole]?.ordinal}.`);
  const epochs = new Set(rows.map(({ epoch }) => epoch));
  report.check(epochs.size === 1, `The log of ${symbol} has ${epochs.size} epochs.`);
  report.figure(`${symbol}: rows, epochs of the log`, `${rows.length}, ${epochs.size}`);

  const windows = await query<{ endMs: string; sequence: string }>(
    'labeling',
    `SELECT window_end_ms AS "endMs", sequence FROM packet WHERE symbol = $1 ORDER BY window_end_ms`,
  );
  const broken = windows.findIndex(({ endMs, sequence }, index) => {
    const before = windows[index - 1];
    return before !== undefined && (Number(endMs) !== Number(before.endMs) + WINDOW_MS || Number(sequence) !== Number(before.sequence) + 1);
  });
  report.check(broken === -1, `The packets of ${symbol} have a gap before ${new Date(Number(windows[broken]?.endMs ?? 0)).toISOString()}.`);
  report.figure(`${symbol}: packets without a gap`, windows.length);

  const gaps = await query<{ reason: string; total: number; named: number }>(
    'data_plane',
    `SELECT reason::text AS reason, count(*)::int AS total, count(gap_id)::int AS named FROM gap WHERE symbol = $1 AND reason <> 'recording_seam' GROUP BY 1`,
  );
  for (const { reason, total, named } of gaps)
    report.fail(`${symbol}: ${total} gaps with the reason ${reason}, ${named} of them with an id.`);
  report.figure(
    `${symbol}: gaps except recording seams`,
    gaps.length === 0 ? 'none' : gaps.map(({ reason, total }) => `${reason}: ${total}`).join(', '),
  );
  await judgeDigests(report, market);
}

const INCOMPLETE = 3;

/** The span has packets of an earlier policy, which this release cannot derive, and all others are equal. */
function isEqualExceptOtherPolicy(text: string): boolean {
  const [compared = '', other = '', ...more] = [...text.matchAll(/^ +packets +(.*)$/gm)].map(([, line]) => line ?? '');
  return (
    /^([1-9][\d,]*) compared: \1 equal, 0 different$/.test(compared) &&
    /^[\d,]+ made under another policy/.test(other) &&
    more.length === 0 &&
    /^ +entries .*; none missing$/m.test(text)
  );
}

async function judgeDigests(report: Report, market: JudgedMarket): Promise<void> {
  const { system, symbol, operator } = market;
  const cli = openCommandLine(system.dataDir, operator);
  const { exitCode, stdout, stderr } = await cli.run(['verify', '--data-dir', system.dataDir, '--symbol', symbol]);
  const text = stdout + stderr;
  const [policies] = await queryOf<{ total: number }>(
    market,
    'labeling',
    'SELECT count(DISTINCT policy_digest)::int AS total FROM packet WHERE symbol = $1',
  );
  const isEqual = policies?.total === 1 ? exitCode === 0 : exitCode === INCOMPLETE && isEqualExceptOtherPolicy(text);
  report.check(isEqual, `market-state verify exited with ${exitCode}: ${text.slice(0, 500)}`);
  report.figure(`market-state verify, ${symbol}`, /(?<=packets +)\S.*/.exec(text)?.[0] ?? text.slice(0, 200));
}

async function queryOf<Row>({ system, symbol }: JudgedMarket, service: 'data_plane' | 'labeling', sql: string): Promise<Row[]> {
  return withClient(system.stores.postgresUrl(service), async (client) => (await client.query(sql, [symbol])).rows as Row[]);
}
