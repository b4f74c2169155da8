import { setTimeout as delay } from 'node:timers/promises';
import { MarketState } from '@market-state/client';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';
import { type Answer, type Caller, NoAnswer, type Tenant, countsOf, percentile, rounded, statusesOf } from '@market-state/testing';
import { CallLog } from '../edge/judge-ledger';
import { GATEWAY_HEADER } from './haproxy';
import type { Report } from '../harness';

export interface PacketsSeen {
  readonly sequences: readonly number[];
  /** Checks digests, signatures and each packet's link to the previous one of its policy: a new policy begins a new chain. */
  readonly chain: ChainCheck;
}

export interface PacketStream {
  readonly symbol: string;
  /** Arrival times by `performance.now()`. */
  readonly arrivalsMs: readonly number[];
  end(): Promise<PacketsSeen>;
}

const CREDITS_MAX = 100_000;

export function readPackets(baseUrl: string, apiKey: string, symbol: string): PacketStream {
  const ms = new MarketState({ baseUrl, apiKey });
  const arrivalsMs: number[] = [];
  let isOver = false;
  async function read(): Promise<PacketsSeen> {
    const packets: (PacketRow & { readonly sequence: number })[] = [];
    for await (const message of ms.stream.packets({ symbols: symbol }, { maxCredits: CREDITS_MAX })) {
      if (message.type !== 'packet') throw new Error(`The packet stream sent ${message.type}.`);
      packets.push(message.data as PacketRow & { readonly sequence: number });
      arrivalsMs.push(performance.now());
      if (isOver) break;
    }
    const { data: keys } = await ms.signingKeys.get();
    return { sequences: packets.map(({ sequence }) => sequence), chain: await checkChains(packets, keys) };
  }
  const reading = read();
  reading.catch(() => undefined);
  return {
    symbol,
    arrivalsMs,
    end() {
      isOver = true;
      return reading;
    },
  };
}

async function checkChains(packets: readonly PacketRow[], keys: Parameters<typeof checkChain>[1]): Promise<ChainCheck> {
  const policyOf = ({ packet }: PacketRow): unknown => (packet as { readonly policy_digest?: unknown }).policy_digest;
  let checked = await checkChain([], keys);
  for (let start = 0; start < packets.length && checked.ok; ) {
    const end = packets.findIndex((row, at) => at > start && policyOf(row) !== policyOf(packets[start] as PacketRow));
    const chain = packets.slice(start, end === -1 ? undefined : end);
    const { checkedTotal } = checked;
    checked = await checkChain(chain, keys);
    checked = { ...checked, checkedTotal: checkedTotal + checked.checkedTotal };
    start += chain.length;
  }
  return checked;
}

const FAILED_SHARE_MAX = 0.001;
const BACK_MS_MAX = 10_000;

interface Disturbance {
  readonly name: string;
  readonly atMs: number;
  readonly untilMs: number;
}

/** Checks that almost no read failed, and only with 503 or without an answer. */
export function judgeReads(report: Report, reads: readonly Read[], disturbances: readonly Disturbance[]): void {
  const failed = reads.filter(({ status }) => status !== 200);
  const other = failed.filter(({ status }) => status !== 503 && status !== 0);
  report.check(failed.length <= FAILED_SHARE_MAX * reads.length, `${failed.length} of ${reads.length} reads failed.`);
  report.check(other.length === 0, `Reads failed with something other than 503 or no answer: ${countsOf(statusesOf(other))}.`);
  report.figure('reads, failed', `${reads.length}, ${countsOf(statusesOf(failed))}`);
  const silent = failed.filter(({ why }) => why.includes('no answer in'));
  report.check(silent.length === 0, `${silent.length} reads were neither answered nor ended: ${silent[0]?.why}.`);
  for (const why of new Set(failed.map((read) => read.why))) report.figure('reasons of failed reads', why === '' ? 'refused' : why);
  const times = reads.filter(({ status }) => status === 200).map(({ sentMs, endMs }) => endMs - sentMs);
  report.figure('reads, ms: p50, p99, longest', [0.5, 0.99, 1].map((share) => rounded(percentile(times, share))).join(', '));
  for (const { name, atMs, untilMs } of disturbances) {
    const lastFailedMs = Math.max(
      0,
      ...failed.filter(({ sentMs }) => sentMs >= atMs && sentMs <= untilMs).map(({ endMs }) => endMs - atMs),
    );
    report.checkTime(lastFailedMs <= BACK_MS_MAX, `${name}: reads failed for ${Math.round(lastFailedMs)} ms.`);
  }
}

export function judgePackets(report: Report, symbol: string, { sequences, chain }: PacketsSeen): void {
  const broken = sequences.findIndex((sequence, index) => index > 0 && sequence !== (sequences[index - 1] ?? 0) + 1);
  report.check(broken === -1, `The packet stream of ${symbol} jumps from ${sequences[broken - 1]} to ${sequences[broken]}.`);
  report.check(chain.ok, `The packets of ${symbol} do not form a chain: ${JSON.stringify(chain.firstBreak)}.`);
  report.figure(`${symbol}: packets received, digests checked`, `${sequences.length}, ${chain.checkedTotal}`);
}

/** Outcome of a call; times are of `performance.now()`. */
interface Read {
  readonly sentMs: number;
  readonly endMs: number;
  /** 0 without a complete answer. */
  readonly status: number;
  /** Reason for a missing answer; otherwise empty. */
  readonly why: string;
}

/** Reads at a constant rate, regardless of earlier answers. */
export interface SteadyReads {
  readonly reads: readonly Read[];
  readonly log: CallLog;
  newestPacketMs(): number;
  /** Stops sending, and resolves when all calls are answered. */
  stop(): Promise<void>;
}

/** A client would retry after this time. */
const ANSWER_MS_MAX = 5_000;

export interface GatewayLives {
  lifeOf(gateway: number): number;
  lastKilled(): number;
}

const NEVER_KILLED: GatewayLives = { lifeOf: () => 0, lastKilled: () => 0 };

/** @param lives kill counts, if gateways are killed */
export function readSteadily(
  call: Caller,
  url: string,
  { key, tenantId }: Tenant,
  perSecond: number,
  lives: GatewayLives = NEVER_KILLED,
): SteadyReads {
  const reads: Read[] = [];
  const log = new CallLog();
  let newestPacketMs = 0;
  let isOver = false;

  async function read(number: number): Promise<void> {
    const requestId = `read_${number}`;
    const sentMs = performance.now();
    const livesThen = [lives.lifeOf(0), lives.lifeOf(1)];
    const answer = await call(url, { key, headers: { 'x-request-id': requestId }, timeoutMs: ANSWER_MS_MAX }).catch((error: unknown) => {
      if (!(error instanceof NoAnswer)) throw error;
      return error;
    });
    const endMs = performance.now();
    if (answer instanceof NoAnswer) {
      reads.push({ sentMs, endMs, status: 0, why: answer.message });
      log.lose({ requestId, gateway: lives.lastKilled(), sentMs, lostMs: endMs });
      return;
    }
    reads.push({ sentMs, endMs, status: answer.status, why: '' });
    if (answer.status === 200) newestPacketMs = Math.max(newestPacketMs, packetTimeOf(answer));
    if (answer.status !== 200) log.refuse(answer, requestId);
    else {
      const gateway = gatewayOf(answer);
      log.serve({
        requestId,
        tenantId,
        credits: Number(answer.headers['x-credits-charged']),
        gateway,
        life: livesThen[gateway] ?? 0,
        endMs,
      });
    }
  }

  async function readOn(): Promise<void> {
    const startedMs = performance.now();
    const underWay = new Set<Promise<void>>();
    for (let number = 0; !isOver; number += 1) {
      await delay(Math.max(0, startedMs + (number * 1_000) / perSecond - performance.now()));
      const one = read(number).finally(() => underWay.delete(one));
      underWay.add(one);
    }
    await Promise.all(underWay);
  }

  const reading = readOn();
  return {
    reads,
    log,
    newestPacketMs: () => newestPacketMs,
    async stop() {
      isOver = true;
      await reading;
    },
  };
}

function packetTimeOf({ text }: Answer): number {
  return Date.parse(/"ts":"([^"]+)"/.exec(text)?.[1] ?? '') || 0;
}

/** The first gateway if the header is missing: then there is only one. */
function gatewayOf({ headers }: Answer): number {
  return Number(/\d+$/.exec(String(headers[GATEWAY_HEADER] ?? ''))?.[0] ?? 1) - 1;
}
