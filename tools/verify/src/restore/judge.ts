import { join } from 'node:path';
import { withClient } from '@market-state/launcher';
import { openCommandLine, type System, waitUntil } from '@market-state/testing';
import { auditLedger, type Customer, firstOf, openPool, type Report, type SuiteContext } from '../harness';
import type { Arrived } from '../webhooks/receivers';
import { SYMBOL } from './drill-system';
import { type Facts, readFacts } from './facts';

const SHOWN_MAX = 5;
/** The second attempt of a delivery is due after 5 s, and a restored service looks at what is overdue at once. */
const SENT_AGAIN_MS_MAX = 60_000;
const ENDED = ['ready', 'failed', 'cancelled'];

/** What was so just before the instant, and what had come by the time everything was lost. */
export interface Before {
  readonly atInstant: Facts;
  readonly atLoss: Facts;
  /** Digests of the files of each export that had become ready before the loss. */
  readonly files: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

/** Whether the restored databases hold all of the time before the instant, and nothing of after the loss. */
export function judgeFacts(report: Report, { atInstant, atLoss }: Before, restored: Facts): void {
  const lost = [...atInstant.receipts].filter((id) => !restored.receipts.has(id));
  const strange = [...restored.receipts].filter((id) => !atLoss.receipts.has(id));
  report.check(lost.length === 0, `${lost.length} receipts of before the instant are gone.`);
  report.check(strange.length === 0, `${strange.length} receipts are there that nobody had.`);
  report.check(restored.receipts.size < atLoss.receipts.size, 'No receipt came after the instant: nothing was shown.');
  report.figure(
    'receipts: at the instant, at the loss, restored',
    `${atInstant.receipts.size}, ${atLoss.receipts.size}, ${restored.receipts.size}`,
  );
  const packets = [...atInstant.packets].filter(([id, digest]) => restored.packets.get(id) !== digest);
  report.check(packets.length === 0, `${packets.length} packets of before the instant are gone or others.`);
  report.check(restored.packets.size < atLoss.packets.size, 'No packet came after the instant: nothing was shown.');
  report.figure(
    'packets: at the instant, at the loss, restored',
    `${atInstant.packets.size}, ${atLoss.packets.size}, ${restored.packets.size}`,
  );
}

export async function judgeLedger({ report, closer }: SuiteContext, system: System): Promise<void> {
  const { entries, faults } = await auditLedger(openPool(closer, system.stores.postgresUrl('account')));
  report.fail(...firstOf(faults, SHOWN_MAX));
  report.figure('entries of the ledger, all balances computed again and equal', entries);
}

/** What waited at the instant and was delivered after it comes again under its id with the same body; what had arrived before does not. */
export async function judgeDeliveries(report: Report, restored: Facts, arrived: readonly Arrived[], lossAt: number): Promise<void> {
  const before = arrived.slice(0, lossAt);
  const waiting = [...restored.deliveries].filter(([, status]) => status === 'waiting').map(([id]) => id);
  const delivered = new Set([...restored.deliveries].filter(([, status]) => status === 'delivered').map(([id]) => id));
  const hadArrived = waiting.filter((id) => before.some((each) => each.messageId === id && each.outcome === 'ok'));
  report.check(hadArrived.length > 0, 'No delivery waited at the instant and arrived after it: nothing was shown.');
  const isAgain = (id: string): boolean => arrived.slice(lossAt).some((each) => each.messageId === id && each.outcome === 'ok');
  await waitUntil('every delivery that waited', () => waiting.every(isAgain), SENT_AGAIN_MS_MAX).catch(() => undefined);
  const missing = waiting.filter((id) => !isAgain(id));
  report.check(missing.length === 0, `${missing.length} of ${waiting.length} deliveries that waited at the instant were not sent again.`);
  const bodies = (id: string): number => new Set(arrived.filter(({ messageId }) => messageId === id).map(({ digest }) => digest)).size;
  report.check(
    waiting.every((id) => bodies(id) === 1),
    'A delivery that was sent again has another body.',
  );
  const surplus = [...delivered].filter(isAgain);
  report.check(surplus.length === 0, `${surplus.length} deliveries that had arrived before the instant were sent again.`);
  const faults = arrived.filter(({ fault }) => fault !== '');
  report.check(faults.length === 0, `${faults.length} deliveries were not signed as they must be: ${faults[0]?.fault}.`);
  report.figure(
    'deliveries that waited at the instant, sent again under their ids',
    `${waiting.length}, ${waiting.filter(isAgain).length}`,
  );
}

/** An export that was under way is made again with the same rows; one that was ready stays; one of after the instant is unknown. */
export async function judgeExports(
  report: Report,
  customer: Customer,
  { atInstant, atLoss, files }: Before,
  restored: Facts,
): Promise<void> {
  const underWay = [...restored.exports].filter(([, status]) => !ENDED.includes(status)).map(([id]) => id);
  report.check(underWay.length > 0, 'No export was under way at the instant: nothing was shown.');
  for (const id of restored.exports.keys()) {
    const [before, now] = [files.get(id), await customer.digestsOf(id)];
    report.check(
      before === undefined || JSON.stringify(before) === JSON.stringify(now),
      `The files of export ${id} are others than before: ${JSON.stringify({ before, now })}.`,
    );
  }
  const later = [...atLoss.exports.keys()].filter((id) => !restored.exports.has(id));
  report.check(later.length > 0, 'No export was ordered after the instant: nothing was shown.');
  for (const id of later) report.check((await customer.statusOf(id)) === undefined, `Export ${id} of after the instant is known.`);
  report.check(
    [...atInstant.exports.keys()].every((id) => restored.exports.has(id)),
    'An export of before the instant is gone.',
  );
  report.figure(
    'exports: restored, of them made again, unknown since they were ordered later',
    `${restored.exports.size}, ${underWay.length}, ${later.length}`,
  );
}

/** Whether packets go on, and every hole in them has a gap with an id. */
export async function judgeMarket(report: Report, system: System, { atLoss }: Before, restored: Facts): Promise<void> {
  const isNew = async (): Promise<ReadonlyMap<string, string> | undefined> => {
    const { packets } = await readFacts(system, '');
    return [...packets.keys()].some((id) => !atLoss.packets.has(id)) ? packets : undefined;
  };
  const packets = await waitUntil('a new packet', isNew, SENT_AGAIN_MS_MAX);
  // The event log was not lost: what was recorded and labelled after the instant comes from it once more.
  const others = [...atLoss.packets].filter(([id, digest]) => packets.get(id) !== digest);
  report.check(others.length === 0, `${others.length} packets of after the instant did not come again as they were.`);
  report.figure('packets of after the instant, made again the same', atLoss.packets.size - restored.packets.size - others.length);
  const ask = async <Row>(service: 'labeling' | 'data_plane', sql: string): Promise<Row[]> =>
    withClient(system.stores.postgresUrl(service), async (client) => (await client.query(sql, [SYMBOL])).rows as Row[]);
  const sequences = await ask<{ sequence: string }>('labeling', 'SELECT sequence FROM packet WHERE symbol = $1 ORDER BY window_end_ms');
  const broken = sequences.findIndex(({ sequence }, at) => at > 0 && Number(sequence) !== Number(sequences[at - 1]?.sequence) + 1);
  report.check(broken === -1, `Packets are numbered ${sequences[broken - 1]?.sequence}, ${sequences[broken]?.sequence}.`);
  const gaps = await ask<{ reason: string; id: string | null; seconds: number }>(
    'data_plane',
    `SELECT reason::text AS reason, gap_id AS id, ((end_ms - start_ms) / 1000)::float8 AS seconds FROM gap WHERE symbol = $1 AND reason <> 'recording_seam'`,
  );
  report.check(
    gaps.every(({ id }) => id !== null),
    'A gap has no id.',
  );
  report.figure('gaps', gaps.length === 0 ? 'none' : gaps.map(({ reason, seconds }) => `${reason}, ${Math.round(seconds)} s`).join('; '));
}

/** As an operator proves it, by the commands. */
export async function judgeByCommands(report: Report, dataDir: string): Promise<void> {
  for (const args of [
    ['verify', '--data-dir', dataDir, '--symbol', SYMBOL],
    ['archive', 'verify', '--url', join(dataDir, 'archive')],
  ]) {
    const { exitCode, stdout, stderr } = await openCommandLine(dataDir, {}).run(args);
    const text = stdout + stderr;
    report.check(exitCode === 0, `market-state ${args[0]} ended with ${exitCode}: ${text.slice(0, 500)}`);
    report.figure(
      `market-state ${args.filter((arg) => /^[a-z]+$/.test(arg)).join(' ')}`,
      /(?<=packets +|EQUAL: )\S.*/.exec(text)?.[0] ?? text.slice(0, 200),
    );
  }
}
