import { setTimeout as delay } from 'node:timers/promises';
import { MarketState } from '@market-state/client';
import { type ChainCheck, checkChain, type PacketRow } from '@market-state/client/verify';
import { type Answer, type Caller, NoAnswer, type Tenant, countsOf, percentile, rounded, statusesOf } from '@market-state/testing';
import { CallLog } from '../edge/judge-ledger';
import { GATEWAY_HEADER } from './haproxy';
import type { Report } from '../harness';

/** What a customer of the packet stream was sent. */
export interface PacketsSeen {
  readonly sequences: readonly number[];
  /** Their digests and signatures, and that each names the one before. */
  readonly chain: ChainCheck;
}

/** A customer's stream of one symbol's packets. */
export interface PacketStream {
  readonly symbol: string;
  /** When each packet came, times of `performance.now()`. */
  readonly arrivalsMs: readonly number[];
  /** Ends it with the next packet that comes. */
  end(): Promise<PacketsSeen>;
}

const CREDITS_MAX = 100_000;

/** Reads a stream of packets by the SDK. */
export function readPackets(baseUrl: string, apiKey: string, symbol: string): PacketStream {
  const ms = new MarketState({ baseUrl, apiKey });
  const arrivalsMs: number[] = [];
  let isOver = false;
  async function read(): Promise<PacketsSeen> {
    const packets: (PacketRow & { readonly sequence: number })[] = [];
    for await (const message of ms.stream.packets({ symbols: symbol }, { maxCredits: CREDITS_MAX })) {
      if (message.type !== 'packet') throw new Error(`The stream of packets has sent ${message.type}.`);
      packets.push(message.data as PacketRow & { readonly sequence: number });
      arrivalsMs.push(performance.now());
      if (isOver) break;
    }
    const { data: keys } = await ms.signingKeys.get();
    return { sequences: packets.map(({ sequence }) => sequence), chain: await checkChain(packets, keys) };
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

const FAILED_SHARE_MAX = 0.001;
const BACK_MS_MAX = 10_000;

/** Something was done, times of `performance.now()`. */
interface Disturbance {
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

/** How a call went; times are of `performance.now()`. */
interface Read {
  readonly sentMs: number;
  readonly endMs: number;
  /** 0 where no whole answer came. */
  readonly status: number;
  /** Why no whole answer came; empty where one did. */
  readonly why: string;
}

/** Reads at a steady rate, whether or not those before were answered. */
export interface SteadyReads {
  readonly reads: readonly Read[];
  /** What account must have charged. */
  readonly log: CallLog;
  /** Time of the newest packet that was served, milliseconds since the epoch. */
  newestPacketMs(): number;
  /** Sends no more, and resolves when all are answered. */
  stop(): Promise<void>;
}

/** A reader would try again after so long. */
const ANSWER_MS_MAX = 5_000;

/** How often each gateway was killed so far, by the name that its answers tell; the one that was killed last. */
export interface GatewayLives {
  lifeOf(gateway: number): number;
  lastKilled(): number;
}

const NEVER_KILLED: GatewayLives = { lifeOf: () => 0, lastKilled: () => 0 };

/** @param lives of the gateways, where they are killed */
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

/** The first where the answer says none: then there is but one. */
function gatewayOf({ headers }: Answer): number {
  return Number(/\d+$/.exec(String(headers[GATEWAY_HEADER] ?? ''))?.[0] ?? 1) - 1;
}
