import { countsOf, percentile, rounded, statusesOf } from '@market-state/testing';
import type { Report } from '../harness';
import type { PacketsSeen } from './packet-stream';
import type { Read } from './steady-reads';

const FAILED_SHARE_MAX = 0.001;
const BACK_MS_MAX = 10_000;

/** Something was done, times of `performance.now()`. */
export interface Disturbance {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
}

/** Whether hardly a read failed, and none in another way than by 503 or without an answer. */
export function judgeReads(report: Report, reads: readonly Read[], disturbances: readonly Disturbance[]): void {
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

/** Whether a stream of packets has no hole, and they are a chain. */
export function judgePackets(report: Report, symbol: string, { sequences, chain }: PacketsSeen): void {
  const broken = sequences.findIndex((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1);
  report.check(broken === -1, `The stream of packets of ${symbol} goes from ${sequences[broken - 1]} to ${sequences[broken]}.`);
  report.check(chain.ok, `The packets of the stream of ${symbol} are no chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.figure(`${symbol}: packets of a stream, their digests checked`, `${sequences.length}, ${chain.checkedTotal}`);
}
