import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { withClient } from '@market-state/launcher';
import { waitUntil, openCaller, openFolder, openCommandLine, type System } from '@market-state/testing';
import { readSteadily } from './cluster/load';
import { LATEST } from './edge/edge';
import {
  customerAt,
  makeCustomer,
  needsProgram,
  type Suite,
  auditLedger,
  type Customer,
  firstOf,
  openPool,
  type Report,
  type SuiteContext,
} from './harness';
import { type Arrived, openReceivers } from './webhooks/receivers';
import { startBackedUpPostgres, drillSystem, SYMBOL } from './backed-up-postgres';

interface Facts {
  readonly receipts: ReadonlySet<string>;
  readonly packets: ReadonlyMap<string, string>;
  readonly deliveries: ReadonlyMap<string, string>;
  readonly exports: ReadonlyMap<string, string>;
}

interface Row {
  readonly id: string;
  readonly is: string;
}

async function readFacts({ stores }: System, tenantId: string): Promise<Facts> {
  const read = async (service: 'account' | 'labeling' | 'webhook' | 'export', sql: string, value: string): Promise<Row[]> =>
    withClient(stores.postgresUrl(service), async (client) => (await client.query<Row>(sql, [value])).rows);
  const [receipts, packets, deliveries, exports] = await Promise.all([
    read('account', `SELECT id, operation_id AS is FROM receipt WHERE tenant_id = $1`, tenantId),
    read('labeling', `SELECT event_id AS id, packet_digest AS is FROM packet WHERE symbol = $1`, SYMBOL),
    read(
      'webhook',
      `SELECT message_id AS id, status::text AS is FROM delivery WHERE tenant_id = $1 AND event_kind = 'packet.created'`,
      tenantId,
    ),
    read('export', `SELECT job_id AS id, status::text AS is FROM export_job WHERE tenant_id = $1`, tenantId),
  ]);
  const byId = (rows: readonly Row[]): ReadonlyMap<string, string> => new Map(rows.map(({ id, is }) => [id, is]));
  return { receipts: new Set(receipts.map(({ id }) => id)), packets: byId(packets), deliveries: byId(deliveries), exports: byId(exports) };
}

const SHOWN_MAX = 5;
/** A delivery's second attempt is due after 5 s, and a restored service sends overdue ones immediately. */
const SENT_AGAIN_MS_MAX = 60_000;
const ENDED = ['ready', 'failed', 'cancelled'];

/** State just before the instant, and at the loss. */
interface Before {
  readonly atInstant: Facts;
  readonly atLoss: Facts;
  /** File digests of exports that became ready before the loss. */
  readonly files: ReadonlyMap<string, Readonly<Record<string, string>>>;
}

function judgeFacts(report: Report, { atInstant, atLoss }: Before, restored: Facts): void {
  const lost = [...atInstant.receipts].filter((id) => !restored.receipts.has(id));
  const strange = [...restored.receipts].filter((id) => !atLoss.receipts.has(id));
  report.check(lost.length === 0, `${lost.length} receipts from before the instant are missing.`);
  report.check(strange.length === 0, `${strange.length} unknown receipts exist.`);
  report.check(restored.receipts.size < atLoss.receipts.size, 'No receipt arrived after the instant, so nothing was verified.');
  report.figure(
    'receipts: at the instant, at the loss, restored',
    `${atInstant.receipts.size}, ${atLoss.receipts.size}, ${restored.receipts.size}`,
  );
  const packets = [...atInstant.packets].filter(([id, digest]) => restored.packets.get(id) !== digest);
  report.check(packets.length === 0, `${packets.length} packets from before the instant are missing or differ.`);
  report.check(restored.packets.size < atLoss.packets.size, 'No packet arrived after the instant, so nothing was verified.');
  report.figure(
    'packets: at the instant, at the loss, restored',
    `${atInstant.packets.size}, ${atLoss.packets.size}, ${restored.packets.size}`,
  );
}

async function judgeLedger({ report, closer }: SuiteContext, system: System): Promise<void> {
  const { entries, faults } = await auditLedger(openPool(closer, system.stores.postgresUrl('account')));
  report.fail(...firstOf(faults, SHOWN_MAX));
  report.figure('ledger entries; all balances recomputed and equal', entries);
}

/**
 * Deliveries pending at the instant and delivered later must be repeated with the same id and body; earlier arrivals
 * must not.
 */
async function judgeDeliveries(report: Report, restored: Facts, arrived: readonly Arrived[], lossAt: number): Promise<void> {
  const before = arrived.slice(0, lossAt);
  const waiting = [...restored.deliveries].filter(([, status]) => status === 'waiting').map(([id]) => id);
  const delivered = new Set([...restored.deliveries].filter(([, status]) => status === 'delivered').map(([id]) => id));
  const hadArrived = waiting.filter((id) => before.some((each) => each.messageId === id && each.outcome === 'ok'));
  report.check(hadArrived.length > 0, 'No delivery was pending at the instant and arrived later, so nothing was verified.');
  const isAgain = (id: string): boolean => arrived.slice(lossAt).some((each) => each.messageId === id && each.outcome === 'ok');
  await waitUntil('every pending delivery', () => waiting.every(isAgain), SENT_AGAIN_MS_MAX).catch(() => undefined);
  const missing = waiting.filter((id) => !isAgain(id));
  report.check(missing.length === 0, `${missing.length} of ${waiting.length} deliveries pending at the instant were not repeated.`);
  const bodies = (id: string): number => new Set(arrived.filter(({ messageId }) => messageId === id).map(({ digest }) => digest)).size;
  report.check(
    waiting.every((id) => bodies(id) === 1),
    'A repeated delivery has a different body.',
  );
  const surplus = [...delivered].filter(isAgain);
  report.check(surplus.length === 0, `${surplus.length} deliveries that arrived before the instant were repeated.`);
  const faults = arrived.filter(({ fault }) => fault !== '');
  report.check(faults.length === 0, `${faults.length} deliveries have an invalid signature: ${faults[0]?.fault}.`);
  report.figure('deliveries pending at the instant, repeated with the same id', `${waiting.length}, ${waiting.filter(isAgain).length}`);
}

/** A running export is repeated with the same rows, a ready one stays, and one ordered after the instant is unknown. */
async function judgeExports(report: Report, customer: Customer, { atInstant, atLoss, files }: Before, restored: Facts): Promise<void> {
  const underWay = [...restored.exports].filter(([, status]) => !ENDED.includes(status)).map(([id]) => id);
  report.check(underWay.length > 0, 'No export was running at the instant, so nothing was verified.');
  for (const id of restored.exports.keys()) {
    const [before, now] = [files.get(id), await customer.digestsOf(id)];
    report.check(
      before === undefined || JSON.stringify(before) === JSON.stringify(now),
      `The files of export ${id} changed: ${JSON.stringify({ before, now })}.`,
    );
  }
  const later = [...atLoss.exports.keys()].filter((id) => !restored.exports.has(id));
  report.check(later.length > 0, 'No export was ordered after the instant, so nothing was verified.');
  for (const id of later) report.check((await customer.statusOf(id)) === undefined, `Export ${id} from after the instant still exists.`);
  report.check(
    [...atInstant.exports.keys()].every((id) => restored.exports.has(id)),
    'An export from before the instant is missing.',
  );
  report.figure(
    'exports: restored, repeated, unknown because ordered later',
    `${restored.exports.size}, ${underWay.length}, ${later.length}`,
  );
}

/** Checks that packets continue and that a gap with an id covers every missing one. */
async function judgeMarket(report: Report, system: System, { atLoss }: Before, restored: Facts): Promise<void> {
  const isNew = async (): Promise<ReadonlyMap<string, string> | undefined> => {
    const { packets } = await readFacts(system, '');
    return [...packets.keys()].some((id) => !atLoss.packets.has(id)) ? packets : undefined;
  };
  const packets = await waitUntil('a new packet', isNew, SENT_AGAIN_MS_MAX);
  // The event log survived, so data recorded and labelled after the instant is produced from it again.
  const others = [...atLoss.packets].filter(([id, digest]) => packets.get(id) !== digest);
  report.check(others.length === 0, `${others.length} packets from after the instant were not reproduced exactly.`);
  report.figure('packets from after the instant, reproduced exactly', atLoss.packets.size - restored.packets.size - others.length);
  const ask = async <Row>(service: 'labeling' | 'data_plane', sql: string): Promise<Row[]> =>
    withClient(system.stores.postgresUrl(service), async (client) => (await client.query(sql, [SYMBOL])).rows as Row[]);
  const sequences = await ask<{ sequence: string }>('labeling', 'SELECT sequence FROM packet WHERE symbol = $1 ORDER BY window_end_ms');
  const broken = sequences.findIndex(({ sequence }, at) => at > 0 && Number(sequence) !== Number(sequences[at - 1]?.sequence) + 1);
  report.check(broken === -1, `Packet numbers jump from ${sequences[broken - 1]?.sequence} to ${sequences[broken]?.sequence}.`);
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

async function judgeByCommands(report: Report, dataDir: string): Promise<void> {
  for (const args of [
    ['verify', '--data-dir', dataDir, '--symbol', SYMBOL],
    ['archive', 'verify', '--url', join(dataDir, 'archive')],
  ]) {
    const { exitCode, stdout, stderr } = await openCommandLine(dataDir, {}).run(args);
    const text = stdout + stderr;
    report.check(exitCode === 0, `market-state ${args[0]} exited with ${exitCode}: ${text.slice(0, 500)}`);
    report.figure(
      `market-state ${args.filter((arg) => /^[a-z]+$/.test(arg)).join(' ')}`,
      /(?<=packets +|EQUAL: )\S.*/.exec(text)?.[0] ?? text.slice(0, 200),
    );
  }
}

const READS_PER_SECOND = 20;
const CONNECTIONS = 16;
const ENDPOINT = 'drill';
/** Longest interval between packets, with a margin. */
const PACKET_MS_MAX = 60_000;
const ORDERS_AT_INSTANT = 6;
const READY_MS_MAX = 1_800_000;
const SECOND_MS = 1_000;

export const restoreSuite: Suite = {
  id: 'restore',
  claim:
    'a lost database server is restored to any instant from its backup: the ledger balances, packets are unchanged and verifiable, ' +
    'undelivered messages are sent under their ids, exports are repeated, and the market continues',
  budget: { default: 20, counts: 'seconds of load before the instant' },
  short: { seed: 1, budget: 5 },
  needs: [needsProgram('/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'), needsProgram('pgbackrest', 'pgbackrest')],
  async run(context) {
    const { closer, report, random, budget, say } = context;
    const postgres = await startBackedUpPostgres(closer, say);
    const receivers = await openReceivers(closer, 0, random);
    const dataDir = openFolder(closer);
    const start = drillSystem(dataDir, postgres, receivers.ca);
    let system = await start();
    closer.add('system', () => system.stop());
    const account = `127.0.0.1:${system.processes.portsOf('account').grpc}`;
    const known = await makeCustomer('a customer of the drill', account, system.rpc.identityOf('operator'));
    const customer = customerAt(system.url, known);
    const reported = { kinds: ['packet.created'], symbols: [SYMBOL] };
    await customer.register(receivers.urlOf(ENDPOINT), reported, (id, secret) => receivers.know(ENDPOINT, id, secret));
    const fullMs = await postgres.backUp('full');
    say(`full backup in ${Math.round(fullMs)} ms; reads, packets and exports for ${budget} s`);

    const reads = readSteadily(openCaller(closer, CONNECTIONS), `${system.url}${LATEST}`, known, READS_PER_SECOND);
    const early = await customer.order('early', SYMBOL);
    await delay(budget * SECOND_MS);
    await customer.digestsOf(early);
    const diffMs = await postgres.backUp('diff');

    // Deliveries fail just before the instant, and arrive when retried after it.
    receivers.setDeed(ENDPOINT, 'error');
    const failed = (): boolean => receivers.arrived.some(({ outcome }) => outcome === 'status_500');
    await waitUntil('a failed delivery', failed, PACKET_MS_MAX);
    const orders = Array.from({ length: ORDERS_AT_INSTANT }, (_, at) => customer.order(`instant-${at}`, SYMBOL));
    await Promise.all(orders);
    const atInstant = await readFacts(system, known.tenantId);
    const { rows } = await withClient(postgres.url, (client) => client.query<{ now: string }>(`SELECT clock_timestamp()::text AS now`));
    const instant = rows[0]?.now ?? '';
    receivers.setDeed(ENDPOINT, undefined);
    say(`the instant: ${instant}`);

    const late = await customer.order('late', SYMBOL);
    const files = new Map<string, Readonly<Record<string, string>>>();
    for (const id of [early, ...(await Promise.all(orders)), late]) files.set(id, await customer.digestsOf(id));
    const packetTotal = atInstant.packets.size;
    const hasGoneOn = async (): Promise<boolean> => (await readFacts(system, known.tenantId)).packets.size > packetTotal + 1;
    await waitUntil('packets after the instant', hasGoneOn, PACKET_MS_MAX);
    await waitUntil('the delivery that had failed', () => hasArrivedLate(receivers.arrived), PACKET_MS_MAX);
    await reads.stop();
    await delay(SECOND_MS);
    const before: Before = { atInstant, atLoss: await readFacts(system, known.tenantId), files };
    await postgres.archived();
    report.figure(
      'backup: full, differential, repository',
      `${Math.round(fullMs)} ms, ${Math.round(diffMs)} ms, ${Math.round(postgres.repositoryBytes() / 2 ** 20)} MiB`,
    );

    await Promise.all([system.kill(), postgres.lose()]);
    const lossAt = receivers.arrived.length;
    say("everything has stopped, and PostgreSQL's data folder is abandoned");
    const lostMs = performance.now();
    const { restoreMs, replayMs } = await postgres.restore(instant);
    const restored = await readFacts(system, known.tenantId);
    system = await start();
    const backMs = performance.now() - lostMs;
    say(`restored after ${Math.round(backMs)} ms`);
    report.figure(
      'restore: files, replay of the WAL, total until /readyz is 200',
      `${Math.round(restoreMs)} ms, ${Math.round(replayMs)} ms, ${Math.round(backMs)} ms`,
    );
    report.checkTime(backMs <= READY_MS_MAX, `The restore took ${Math.round(backMs)} ms.`);

    judgeFacts(report, before, restored);
    await judgeDeliveries(report, restored, receivers.arrived, lossAt);
    await judgeExports(report, customerAt(system.url, known), before, restored);
    await judgeMarket(report, system, before, restored);
    await judgeByCommands(report, dataDir);
    await judgeLedger(context, system);
    report.figure('differential backup after the restore', `${Math.round(await postgres.backUp('diff'))} ms`);
  },
};

function hasArrivedLate(arrived: readonly Arrived[]): boolean {
  const failed = new Set(arrived.filter(({ outcome }) => outcome === 'status_500').map(({ messageId }) => messageId));
  return arrived.some(({ messageId, outcome }) => outcome === 'ok' && failed.has(messageId));
}
