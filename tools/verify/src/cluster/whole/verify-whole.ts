import { setTimeout as delay } from 'node:timers/promises';
import { join } from 'node:path';
import { openStore } from '@market-state/archive';
import { webhook } from '@market-state/contracts';
import { createClient } from '@market-state/grpc';
import { withClient } from '@market-state/launcher';
import { openCaller, comesTrue } from '@market-state/testing';
import type { Pool } from 'pg';
import { LATEST } from '../../edge/edge';
import { openPool, type SuiteContext, auditLedger, firstOf, receiptsOnceThere, type Report, unreleasedHolds } from '../../harness';
import { readPackets, type PacketStream, readSteadily, judgePackets, judgeReads, type SteadyReads } from '../load';
import { SYMBOLS } from '../scene';
import { type Busy, openBusy, orderUntilAccepted, cursorOf } from './customers';
import { describeKill, type Kill, makeKill, shuffledKinds, createLives, type Lives } from './kills';
import { openWholeScene, type WholeScene } from './open-scene';
import { judgeLedger } from '../../edge/judge-ledger';
import { checkJobs } from '../../exports/check-jobs';
import { faultsOf, judgeDeliveries, countOpen, readCharged, readStored } from '../../webhooks/judge-deliveries';
import { judgeMarket } from '../judge-market';
import { episodeFaults, alertsByRule, readOutcome } from '../../alerts/outcome';
import { rehearsalDifferences } from '../../alerts/rehearsal';

const DEADLINE_MS = 60_000;

/** Checks that the sent alerts are those of one uninterrupted run, that is, of a rehearsal over the same span. */
async function judgeAlerts({ report, closer }: SuiteContext, { scene, busy, webhooks }: WholeRun): Promise<void> {
  const { system } = scene;
  const client = createClient({
    definition: webhook.WatchlistServiceService,
    address: `127.0.0.1:${system.processes.portsOf('webhook').grpc}`,
    peer: system.rpc.identityOf('gateway').to('webhook'),
    deadlineMs: DEADLINE_MS,
  });
  closer.add('watchlists', () => client.close());
  const outcome = await readOutcome(webhooks);
  const rehearsed: webhook.RehearsedRule[] = [];
  let packets = 0;
  const { tenantId } = busy.customer;
  for (const [symbol, { sequence, windowEndMs }] of busy.from) {
    const end = await cursorOf(scene, symbol);
    if (end === undefined) throw new Error(`No packet of ${symbol} was evaluated.`);
    packets += end.sequence - sequence;
    const watchlistId = await watchlistOf(scene, tenantId, symbol);
    const span = { fromMs: windowEndMs + 1, toMs: end.windowEndMs + 1 };
    rehearsed.push(...(await client.call.rehearse({ tenantId, watchlistId, symbols: [], rules: [], ...span })).rules);
  }
  report.fail(...firstOf(rehearsalDifferences(outcome, rehearsed), SHOWN_MAX), ...firstOf(episodeFaults(outcome), SHOWN_MAX));
  const reported = [...alertsByRule(outcome.messages).values()].flat().length;
  report.figure('packets evaluated, rules and symbols rehearsed, alerts sent', `${packets}, ${rehearsed.length}, ${reported}`);
}

async function watchlistOf({ system }: WholeRun['scene'], tenantId: string, name: string): Promise<string> {
  const { rows } = await withClient(system.stores.postgresUrl('webhook'), (client) =>
    client.query<{ id: string }>('SELECT watchlist_id AS id FROM watchlist WHERE tenant_id = $1 AND name = $2', [tenantId, name]),
  );
  if (rows[0] === undefined) throw new Error(`There is no watchlist ${name}.`);
  return rows[0].id;
}

interface WholeRun {
  readonly scene: WholeScene;
  readonly busy: Busy;
  readonly webhooks: Pool;
  readonly lives: Lives;
  readonly reads: SteadyReads;
  readonly streams: readonly PacketStream[];
  readonly kills: readonly Kill[];
  /** Attempts possibly in flight when their worker or database was killed. */
  readonly underWayAtKills: number;
  readonly orders: readonly { readonly id: string; readonly refused: number }[];
  readonly loadMs: number;
}

const BACK_MS_MAX = 10_000;
const POSTED_MS_MAX = 30_000;
/** A killed worker's claims are taken over after a minute. */
const SETTLED_MS_MAX = 150_000;
const SHOWN_MAX = 10;
const WORKERS = 2;

async function judgeWhole(context: SuiteContext, run: WholeRun): Promise<void> {
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
    'exports ordered, orders refused before acceptance',
    `${orders.length}, ${orders.reduce((sum, { refused }) => sum + refused, 0)}`,
  );
  for (const symbol of SYMBOLS) await judgeMarket(report, { system, symbol, operator: scene.certificates.variablesOf('operator') });

  say('comparing rows, packets and receipts; then evaluators stop and their messages are compared');
  await stop(scene, 'webhook-evaluator');
  await judgeAlerts(context, run);
  await comesTrue(async () => (await countOpen(webhooks)) === 0, { limitMs: SETTLED_MS_MAX, everyMs: 500 });
  await judgeArrivals(report, run, ledger);

  say('stopping gateways and workers, which release their leases');
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
  for (const { name, backMs } of kills) report.checkTime(backMs <= BACK_MS_MAX, `${name}: recovered only after ${Math.round(backMs)} ms.`);
  for (const name of new Set(kills.map((kill) => kill.name))) {
    const ofName = kills.filter((kill) => kill.name === name);
    const span = (of: (kill: Kill) => number): string =>
      `${Math.round(Math.min(...ofName.map(of)))} to ${Math.round(Math.max(...ofName.map(of)))} ms`;
    report.figure(
      `${name} killed, ${ofName.length} times`,
      `recovered after ${span(({ backMs }) => backMs)}; everything ready after ${span(({ wholeMs }) => wholeMs)}`,
    );
  }
}

/** Checks that every alert arrived and was charged once, whichever worker was killed. */
async function judgeArrivals(report: Report, { scene, webhooks, busy, underWayAtKills, loadMs }: WholeRun, ledger: Pool): Promise<void> {
  const { rows } = await webhooks.query<{ message_id: string; endpoint_id: string }>(
    `SELECT message_id, endpoint_id FROM message JOIN endpoint USING (tenant_id) WHERE tenant_id = $1 AND event_kind = 'alert.triggered'`,
    [busy.customer.tenantId],
  );
  const wanted = rows.map(({ message_id: messageId, endpoint_id: endpointId }) => [messageId, endpointId] as const);
  const kept = await readStored(webhooks);
  const { arrived } = scene.receivers;
  const judged = judgeDeliveries({ ...kept, wanted, arrived, charged: await readCharged(ledger), underWayAtKills });
  report.fail(...firstOf(faultsOf(judged), SHOWN_MAX));
  report.check(wanted.length > 0, 'No alert was sent, so nothing was verified.');
  report.figure(
    'alerts, per minute; requests, messages repeated, requests without a receipt, attempts in flight at kills at most',
    `${wanted.length}, ${Math.round(wanted.length / (loadMs / 60_000))}; ${arrived.length}, ${judged.repeats}, ${judged.unrecorded}, ${underWayAtKills}`,
  );
}

const MINUTES = 10;
const MINUTE_MS = 60_000;
const READS_PER_SECOND = 200;
const CONNECTIONS = 64;
const EXPORTS = 5;
const CALM_MS = 4_000;
/** A minute's rows can be exported after this time. */
const FIRST_ORDER_MS = 75_000;

export async function verifyWhole(context: SuiteContext): Promise<void> {
  const { closer, random, say, report, minutes = MINUTES } = context;
  const scene = await openWholeScene(context);
  const busy = await openBusy(scene);
  say(`every process is ready; ${minutes} min of load`);
  const webhooks = openPool(closer, scene.system.stores.postgresUrl('webhook'));
  const lives = createLives();
  const reads = readSteadily(openCaller(closer, CONNECTIONS), `${scene.url}${LATEST}`, scene.tenant, READS_PER_SECOND, lives);
  const streams = SYMBOLS.map((symbol) => readPackets(scene.url, scene.streaming.key, symbol));
  const startedMs = performance.now();
  const endMs = startedMs + minutes * MINUTE_MS;
  const ordering = orderInTurn(busy, startedMs, endMs);
  ordering.catch(() => undefined);
  const kills: Kill[] = [];
  let underWayAtKills = 0;
  try {
    const deps = { scene, reads, streams, lives, webhooks, random, onUnderWay: (attempts: number) => void (underWayAtKills += attempts) };
    await delay(CALM_MS);
    do {
      const kinds = shuffledKinds(random);
      for (const kind of kinds) {
        if (kills.length >= kinds.length && performance.now() > endMs) break;
        const kill = await makeKill(kind, deps);
        kills.push(kill);
        say(`${kills.length}: ${describeKill(kill)}`);
        await delay(CALM_MS);
      }
    } while (performance.now() < endMs);
  } finally {
    await reads.stop();
  }
  const loadMs = performance.now() - startedMs;
  const orders = await ordering;
  say('the load has ended; checking results');
  const perSecond = Math.round(reads.reads.length / (loadMs / 1_000));
  report.figure('load', `${Math.round(loadMs / 1_000)} s, ${perSecond} of ${READS_PER_SECOND} reads/s, ${kills.length} kills`);
  await judgeWhole(context, { scene, busy, webhooks, lives, reads, streams, kills, underWayAtKills, orders, loadMs });
}

/** Orders spread over the time. @returns each with the number of refusals before acceptance */
async function orderInTurn({ customer }: Busy, startedMs: number, endMs: number): Promise<{ id: string; refused: number }[]> {
  const orders: { id: string; refused: number }[] = [];
  const apartMs = Math.max(0, endMs - startedMs - FIRST_ORDER_MS) / EXPORTS;
  for (let at = 0; at < EXPORTS; at += 1) {
    await delay(Math.max(0, startedMs + FIRST_ORDER_MS + at * apartMs - performance.now()));
    orders.push(await orderUntilAccepted(customer, `order-${at + 1}`));
  }
  return orders;
}
