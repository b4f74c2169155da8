import { setTimeout as delay } from 'node:timers/promises';
import { CallLog } from '../edge/call-log';
import { type Answer, type Caller, NoAnswer, type Tenant } from '@market-state/testing';
import { GATEWAY_HEADER } from './haproxy';

/** How a call went; times are of `performance.now()`. */
export interface Read {
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
