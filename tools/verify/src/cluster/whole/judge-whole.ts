import { join } from 'node:path';
import { openStore } from '@market-state/archive';
import { comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { judgeLedger } from '../../edge/judge-ledger';
import { checkJobs } from '../../exports/check-jobs';
import { auditLedger, firstOf, openPool, receiptsOnceThere, type Report, type SuiteContext, unreleasedHolds } from '../../harness';
import { faultsOf, judgeDeliveries } from '../../webhooks/judge-deliveries';
import { countOpen, readCharged, readKept } from '../../webhooks/read-facts';
import { judgePackets, judgeReads } from '../judge-load';
import { judgeMarket } from '../judge-market';
import { SYMBOLS } from '../scene';
import { judgeAlerts } from './judge-alerts';
import type { Kill } from './kills';
import type { WholeScene } from './open-scene';
import type { WholeRun } from './whole-run';

const BACK_MS_MAX = 10_000;
const POSTED_MS_MAX = 30_000;
/** What a killed worker had taken is taken over after a minute. */
const SETTLED_MS_MAX = 150_000;
const SHOWN_MAX = 10;
/** Workers of exports. */
const WORKERS = 2;

/** Compares all that the run left with what was promised. It stops the system part by part. */
export async function judgeWhole(context: SuiteContext, run: WholeRun): Promise<void> {
  const { report, closer, say } = context;
  const { scene, reads, kills, streams, busy, webhooks, lives, orders } = run;
  const { system, tenant } = scene;
  judgeReads(report, reads.reads, kills);
  judgeKills(report, kills);
  for (const stream of streams) judgePackets(report, stream.symbol, await stream.end());
  const ledger = openPool(closer, system.stores.postgresUrl('account'));
  await receiptsOnceThere(ledger, tenant.tenantId, reads.log.served.length, POSTED_MS_MAX);
  await judgeLedger(report, ledger, [tenant.tenantId], reads.log, lives.deaths());
  for (const { id } of orders) await busy.customer.digestsOf(id);
  report.figure(
    'exports ordered, orders refused before they were taken',
    `${orders.length}, ${orders.reduce((sum, { refused }) => sum + refused, 0)}`,
  );
  for (const symbol of SYMBOLS) await judgeMarket(report, { system, symbol, operator: scene.certificates.variablesOf('operator') });

  say('rows, packets and receipts are compared; evaluators are stopped, and what they told is compared');
  await stop(scene, 'webhook-evaluator');
  await judgeAlerts(context, run);
  await comesTrue(async () => (await countOpen(webhooks)) === 0, { limitMs: SETTLED_MS_MAX, everyMs: 500 });
  await judgeArrivals(report, run, ledger);

  say('gateways and workers are stopped, and give back what they held');
  for (const name of ['gateway', 'webhook-worker', 'export-worker']) await stop(scene, name);
  report.fail(...(await unreleasedHolds(ledger)));
  report.fail(...(await auditLedger(ledger)).faults);
  const jobs = openPool(closer, system.stores.postgresUrl('export'));
  const store = openStore(join(system.dataDir, 'exports'));
  const ordered = orders.map(({ id }) => id);
  await checkJobs({ jobs, ledger, store }, ordered, { remadeMax: kills.length * WORKERS }, report);
}

async function stop({ system }: WholeScene, definition: string): Promise<void> {
  const names = system.processes.names.filter((name) => name === definition || /^-\d+$/.test(name.replace(definition, '')));
  await Promise.all(names.map((name) => system.processes.process(name).stop()));
}

function judgeKills(report: Report, kills: readonly Kill[]): void {
  for (const { name, backMs } of kills) report.checkTime(backMs <= BACK_MS_MAX, `${name}: back only after ${Math.round(backMs)} ms.`);
  for (const name of new Set(kills.map((kill) => kill.name))) {
    const ofName = kills.filter((kill) => kill.name === name);
    const span = (of: (kill: Kill) => number): string =>
      `${Math.round(Math.min(...ofName.map(of)))} to ${Math.round(Math.max(...ofName.map(of)))} ms`;
    report.figure(
      `${name} killed, ${ofName.length} times`,
      `back after ${span(({ backMs }) => backMs)}; all well after ${span(({ wholeMs }) => wholeMs)}`,
    );
  }
}

/** Every alert has arrived, whoever of the workers was killed, and was charged once. */
async function judgeArrivals(report: Report, { scene, webhooks, busy, underWayAtKills, loadMs }: WholeRun, ledger: Pool): Promise<void> {
  const { rows } = await webhooks.query<{ message_id: string; endpoint_id: string }>(
    `SELECT message_id, endpoint_id FROM message JOIN endpoint USING (tenant_id) WHERE tenant_id = $1 AND event_kind = 'alert.triggered'`,
    [busy.customer.tenantId],
  );
  const wanted = rows.map(({ message_id: messageId, endpoint_id: endpointId }) => [messageId, endpointId] as const);
  const kept = await readKept(webhooks);
  const { arrived } = scene.receivers;
  const judged = judgeDeliveries({ ...kept, wanted, arrived, charged: await readCharged(ledger), underWayAtKills });
  report.fail(...firstOf(faultsOf(judged), SHOWN_MAX));
  report.check(wanted.length > 0, 'No alert was told: nothing was shown.');
  report.figure(
    'alerts, a minute of load; requests, messages taken again, requests without a receipt, attempts under way at kills at most',
    `${wanted.length}, ${Math.round(wanted.length / (loadMs / 60_000))}; ${arrived.length}, ${judged.repeats}, ${judged.unrecorded}, ${underWayAtKills}`,
  );
}
