import { setTimeout as delay } from 'node:timers/promises';
import { judgeLedger } from '../edge/judge-ledger';
import { LATEST } from '../edge/routes';
import {
  auditLedger,
  countsOf,
  openCaller,
  openPool,
  percentile,
  type Proof,
  type ProofContext,
  receiptsOnceThere,
  type Report,
  rounded,
  shuffle,
  statusesOf,
} from '../harness';
import { disturb, drawFaults, type Recovery } from './faults';
import { judgeMarket } from './judge-market';
import { type PacketsSeen, readPackets } from './packet-stream';
import { type ClusterScene, openClusterScene, SHARD_PROCESSES, type ShardProcess, SYMBOLS } from './scene';
import { describeShardKill, judgeShardKills, killShard, type ShardKill } from './shard-kills';
import { type Read, readSteadily, type SteadyReads } from './steady-reads';

const READS_PER_SECOND = 100;
const CONNECTIONS = 64;
/** Reads before the first fault and after each, milliseconds. */
const CALM_MS = 8_000;
const FAILED_SHARE_MAX = 0.001;
const BACK_MS_MAX = 10_000;
const POSTED_MS_MAX = 30_000;

/** A Redis Cluster, and two shards each of recorder and labeling under a pair of gateways, killed or silenced while packets are read. */
export const clusterProof: Proof = {
  id: 'cluster',
  claim:
    'primaries of a Redis Cluster that are killed or fall silent under a pair of gateways, and shards of recorder and labeling that are killed, cost ' +
    'no packet, no entry of the log and no credit, and hardly a read; while a shard is away the packets of the other come as ever (with --small; ' +
    'the form with every service twice is not there yet)',
  budget: { default: 6, counts: 'primaries killed or silenced, and as many processes of shards killed' },
  async run(context) {
    if (context.isSmall !== true) throw new Error('Only its small form is there: npm run prove -- cluster --small');
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
    for (const symbol of SYMBOLS) await judgeMarket(report, scene, symbol);
  },
};

/** So many processes of shards, each as often as the others, in an order that chance gives. */
function drawShards(total: number, random: () => number): ShardProcess[] {
  return Array.from({ length: Math.ceil(total / SHARD_PROCESSES.length) }, () => shuffle(SHARD_PROCESSES, random)).flat();
}

function describe({ fault, logMs, packetMs, repaired }: Recovery): string {
  return `${fault.name}: entries again after ${Math.round(logMs)} ms, a packet after ${Math.round(packetMs)} ms, ${repaired} entries repaired`;
}

/** Something was done, times of `performance.now()`. */
interface Disturbance {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
}

function judgeReads(report: Report, reads: readonly Read[], disturbances: readonly Disturbance[]): void {
  const failed = reads.filter(({ status }) => status !== 200);
  const other = failed.filter(({ status }) => status !== 503 && status !== 0);
  report.check(failed.length <= FAILED_SHARE_MAX * reads.length, `${failed.length} of ${reads.length} reads failed.`);
  report.check(other.length === 0, `Reads failed otherwise than with 503 or no answer: ${countsOf(statusesOf(other))}.`);
  report.figure('reads, failed', `${reads.length}, ${countsOf(statusesOf(failed))}`);
  const silent = failed.filter(({ why }) => why.includes('no answer in'));
  report.check(silent.length === 0, `${silent.length} reads were neither answered nor ended: ${silent[0]?.why}.`);
  for (const why of new Set(failed.map((read) => read.why))) report.figure('why reads failed', why === '' ? 'refused' : why);
  const times = reads.filter(({ status }) => status === 200).map(({ sentMs, endMs }) => endMs - sentMs);
  report.figure('read, ms: p50, p99, longest', [0.5, 0.99, 1].map((share) => rounded(percentile(times, share))).join(', '));
  for (const { name, atMs, untilMs } of disturbances) {
    const lastFailedMs = Math.max(
      0,
      ...failed.filter(({ sentMs }) => sentMs >= atMs && sentMs <= untilMs).map(({ endMs }) => endMs - atMs),
    );
    report.checkTime(lastFailedMs <= BACK_MS_MAX, `${name}: reads failed for ${Math.round(lastFailedMs)} ms.`);
  }
}

function judgeRecoveries(report: Report, recoveries: readonly Recovery[]): void {
  for (const { fault, logMs, packetMs, repaired } of recoveries) {
    report.checkTime(logMs <= BACK_MS_MAX, `${fault.name}: entries came again after ${Math.round(logMs)} ms.`);
    report.checkTime(packetMs <= BACK_MS_MAX, `${fault.name}: a packet came again after ${Math.round(packetMs)} ms.`);
    report.check(!fault.isBehind || repaired > 0, `${fault.name}: nothing was lost, so nothing was shown.`);
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

function judgePackets(report: Report, symbol: string, { sequences, chain }: PacketsSeen): void {
  const broken = sequences.findIndex((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1);
  report.check(broken === -1, `The stream of packets of ${symbol} goes from ${sequences[broken - 1]} to ${sequences[broken]}.`);
  report.check(chain.ok, `The packets of the stream of ${symbol} are no chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.figure(`${symbol}: packets of a stream, their digests checked`, `${sequences.length}, ${chain.checkedTotal}`);
}

async function judgeCredits({ report, closer }: ProofContext, { system, tenant }: ClusterScene, { log }: SteadyReads): Promise<void> {
  const pool = openPool(closer, system.stores.postgresUrl('account'));
  await receiptsOnceThere(pool, tenant.tenantId, log.served.length, POSTED_MS_MAX);
  await judgeLedger(report, pool, [tenant.tenantId], log, []);
  report.fail(...(await auditLedger(pool)).faults);
}
