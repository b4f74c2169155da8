import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@market-state/launcher';
import { waitUntil, openCaller, openFolder } from '@market-state/testing';
import { readSteadily } from '../cluster/steady-reads';
import { LATEST } from '../edge/routes';
import { customerAt, makeCustomer, needsProgram, type Suite } from '../harness';
import { type Arrived, openReceivers } from '../webhooks/receivers';
import { startBackedUpPostgres } from './backed-up-postgres';
import { drillSystem, SYMBOL } from './drill-system';
import { readFacts } from './facts';
import { type Before, judgeByCommands, judgeDeliveries, judgeExports, judgeFacts, judgeLedger, judgeMarket } from './judge';

const READS_PER_SECOND = 20;
const CONNECTIONS = 16;
const ENDPOINT = 'drill';
/** Between two packets at the most, and some more. */
const PACKET_MS_MAX = 60_000;
const ORDERS_AT_INSTANT = 6;
const READY_MS_MAX = 1_800_000;
const SECOND_MS = 1_000;

/** The drill of an operator who has lost the database server. */
export const restoreSuite: Suite = {
  id: 'restore',
  claim:
    'a lost database server comes back at any instant from its backup: the ledger adds up, packets are those of before and can be proved, what ' +
    'was not delivered is sent under its id, exports are made again, and the market goes on',
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
    const told = { kinds: ['packet.created'], symbols: [SYMBOL] };
    await customer.register(receivers.urlOf(ENDPOINT), told, (id, secret) => receivers.know(ENDPOINT, id, secret));
    const fullMs = await postgres.backUp('full');
    say(`full backup in ${Math.round(fullMs)} ms; reads, packets and exports for ${budget} s`);

    const reads = readSteadily(openCaller(closer, CONNECTIONS), `${system.url}${LATEST}`, known, READS_PER_SECOND);
    const early = await customer.order('early', SYMBOL);
    await delay(budget * SECOND_MS);
    await customer.digestsOf(early);
    const diffMs = await postgres.backUp('diff');

    // Deliveries fail just before the instant, and arrive when they are tried again after it.
    receivers.setDeed(ENDPOINT, 'error');
    const failed = (): boolean => receivers.arrived.some(({ outcome }) => outcome === 'status_500');
    await waitUntil('a delivery that fails', failed, PACKET_MS_MAX);
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
    say('everything was ended, and the data folder of PostgreSQL given up');
    const lostMs = performance.now();
    const { restoreMs, replayMs } = await postgres.restore(instant);
    const restored = await readFacts(system, known.tenantId);
    system = await start();
    const backMs = performance.now() - lostMs;
    say(`all is back after ${Math.round(backMs)} ms`);
    report.figure(
      'back: files, replay of the WAL, all until /readyz is 200',
      `${Math.round(restoreMs)} ms, ${Math.round(replayMs)} ms, ${Math.round(backMs)} ms`,
    );
    report.checkTime(backMs <= READY_MS_MAX, `All was back only after ${Math.round(backMs)} ms.`);

    judgeFacts(report, before, restored);
    await judgeDeliveries(report, restored, receivers.arrived, lossAt);
    await judgeExports(report, customerAt(system.url, known), before, restored);
    await judgeMarket(report, system, before, restored);
    await judgeByCommands(report, dataDir);
    await judgeLedger(context, system);
    report.figure('differential backup after it', `${Math.round(await postgres.backUp('diff'))} ms`);
  },
};

/** Whether a delivery that had failed has arrived since. */
function hasArrivedLate(arrived: readonly Arrived[]): boolean {
  const failed = new Set(arrived.filter(({ outcome }) => outcome === 'status_500').map(({ messageId }) => messageId));
  return arrived.some(({ messageId, outcome }) => outcome === 'ok' && failed.has(messageId));
}
