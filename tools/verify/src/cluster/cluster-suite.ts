import { setTimeout as delay } from 'node:timers/promises';
import { openCaller, shuffle } from '@market-state/testing';
import { judgeLedger } from '../edge/judge-ledger';
import { LATEST } from '../edge/edge';
import { auditLedger, needsProgram, openPool, receiptsOnceThere, type Report, type Suite, type SuiteContext } from '../harness';
import { disturb, drawFaults, type Recovery, describeShardKill, judgeShardKills, killShard, type ShardKill } from './faults';
import { judgePackets, judgeReads, readSteadily, type SteadyReads, readPackets } from './load';
import { judgeMarket } from './judge-market';
import { type ClusterScene, openClusterScene, SHARD_PROCESSES, type ShardProcess, SYMBOLS } from './scene';
import { verifyWhole } from './whole/verify-whole';

const READS_PER_SECOND = 100;
const CONNECTIONS = 64;
const CALM_MS = 8_000;
const BACK_MS_MAX = 10_000;
const POSTED_MS_MAX = 30_000;

export const clusterSuite: Suite = {
  id: 'cluster',
  claim:
    'killing or freezing primaries of a Redis Cluster under a pair of gateways, and killing shards of recorder and labeling, loses ' +
    "no packet, no log entry and no credit, and almost no read; while one shard is away, the other's packets arrive on time (--small). " +
    'Without --small, with two of every service and a PostgreSQL pair, killing each one at a time loses no alert and no export either',
  budget: { default: 6, counts: 'primaries killed or frozen, and as many shard processes killed; without --small use --minutes' },
  /** A Redis Cluster and shards, without the PostgreSQL pair and the timed load. */
  short: { seed: 1, budget: 1, isSmall: true },
  needs: [needsProgram('haproxy', 'haproxy')],
  async run(context) {
    if (context.isSmall !== true) return verifyWhole(context);
    const { report, closer, random, budget, say } = context;
    const scene = await openClusterScene(context);
    const reads = readSteadily(openCaller(closer, CONNECTIONS), `${scene.url}${LATEST}`, scene.tenant, READS_PER_SECOND);
    const streams = SYMBOLS.map((symbol) => readPackets(scene.url, scene.streaming.key, symbol));
    const recoveries: Recovery[] = [];
    const kills: ShardKill[] = [];
    try {
      await delay(CALM_MS);
      const shards = drawShards(budget, random);
      for (const [index, fault] of drawFaults(budget, random).entries()) {
        const recovery = await disturb(scene, fault, reads);
        recoveries.push(recovery);
        say(`${recoveries.length} of ${budget}: ${describe(recovery)}`);
        await delay(CALM_MS);
        const kill = await killShard(scene, shards[index] as ShardProcess, streams, random);
        kills.push(kill);
        say(`${kills.length} of ${budget}: ${describeShardKill(kill)}`);
        await delay(CALM_MS);
      }
    } finally {
      await reads.stop();
    }
    judgeReads(report, reads.reads, [...recoveries.map(({ fault, ...times }) => ({ name: fault.name, ...times })), ...kills]);
    judgeRecoveries(report, recoveries);
    judgeShardKills(report, kills);
    for (const stream of streams) judgePackets(report, stream.symbol, await stream.end());
    await judgeCredits(context, scene, reads);
    for (const symbol of SYMBOLS)
      await judgeMarket(report, { system: scene.system, symbol, operator: scene.certificates.variablesOf('operator') });
  },
};

function drawShards(total: number, random: () => number): ShardProcess[] {
  return Array.from({ length: Math.ceil(total / SHARD_PROCESSES.length) }, () => shuffle(SHARD_PROCESSES, random)).flat();
}

function describe({ fault, logMs, packetMs, repaired }: Recovery): string {
  return `${fault.name}: entries again after ${Math.round(logMs)} ms, a packet after ${Math.round(packetMs)} ms, ${repaired} entries repaired`;
}

function judgeRecoveries(report: Report, recoveries: readonly Recovery[]): void {
  for (const { fault, logMs, packetMs, repaired } of recoveries) {
    report.checkTime(logMs <= BACK_MS_MAX, `${fault.name}: entries resumed after ${Math.round(logMs)} ms.`);
    report.checkTime(packetMs <= BACK_MS_MAX, `${fault.name}: packets resumed after ${Math.round(packetMs)} ms.`);
    report.check(!fault.isBehind || repaired > 0, `${fault.name}: nothing was lost, so the fault verified nothing.`);
  }
  for (const name of new Set(recoveries.map(({ fault }) => fault.name))) {
    const ofName = recoveries.filter(({ fault }) => fault.name === name);
    const span = (of: (recovery: Recovery) => number): string =>
      `${Math.round(Math.min(...ofName.map(of)))} to ${Math.round(Math.max(...ofName.map(of)))}`;
    report.figure(
      `${name}, ${ofName.length} times`,
      `entries again after ${span(({ logMs }) => logMs)} ms, packets after ${span(({ packetMs }) => packetMs)} ms; entries repaired: ${span(({ repaired }) => repaired)}`,
    );
  }
}

async function judgeCredits({ report, closer }: SuiteContext, { system, tenant }: ClusterScene, { log }: SteadyReads): Promise<void> {
  const pool = openPool(closer, system.stores.postgresUrl('account'));
  await receiptsOnceThere(pool, tenant.tenantId, log.served.length, POSTED_MS_MAX);
  await judgeLedger(report, pool, [tenant.tenantId], log, []);
  report.fail(...(await auditLedger(pool)).faults);
}
