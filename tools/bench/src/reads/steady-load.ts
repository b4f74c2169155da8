import { setTimeout as delay } from 'node:timers/promises';
import { cpus } from 'node:os';
import { account } from '@market-state/contracts';
import type { System } from '@market-state/launcher';
import { callOnce, openCaller, withCloser, ALL_SCOPES, openTenants } from '@market-state/testing';

const CREDITS = 100_000_000;
const AT_ONCE = 4;

/** One key for each of several tenants, each allowed 500 requests a second. */
export function enterpriseKeys({ processes, rpc }: System, total: number): Promise<readonly string[]> {
  return withCloser(async (closer) => {
    const tenants = openTenants(closer, `127.0.0.1:${processes.portsOf('account').grpc}`, rpc.identityOf('operator'));
    const terms = { planId: 'enterprise', renewal: account.Renewal.MONTHLY, marketStateCredits: CREDITS, scopes: ALL_SCOPES } as const;
    const made: string[] = [];
    let next = 0;
    const some = async (): Promise<void> => {
      for (let index = next++; index < total; index = next++) made.push((await tenants.create({ name: `bench ${index}`, ...terms })).key);
    };
    await Promise.all(Array.from({ length: AT_ONCE }, some));
    return made;
  });
}

export function busyAndIdleMs(): readonly [busy: number, idle: number] {
  const times = cpus().map((core) => core.times);
  return [
    times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0),
    times.reduce((sum, { idle }) => sum + idle, 0),
  ];
}

/** Busy share of all cores between two readings. */
export function busyShare([busyBefore, idleBefore]: readonly [number, number], [busy, idle]: readonly [number, number]): number {
  return (busy - busyBefore) / (busy - busyBefore + idle - idleBefore);
}

export interface Requested {
  readonly path: string;
  /** Milliseconds from its scheduled time to its last byte. */
  readonly ms: number;
  /** 0 without an answer. */
  readonly status: number;
  readonly bytes: number;
}

export type RequestHeaders = Readonly<Record<string, string>>;

export async function sizeOfAnswer(url: string, key: string): Promise<number> {
  const answer = await callOnce(url, { key });
  if (answer === null) throw new Error(`${url} got no answer.`);
  return answer.bytes;
}

/**
 * Calls the addresses and headers round-robin, each at its scheduled time regardless of earlier answers: waiting for a
 * slow server counts from the scheduled time.
 */
export function steadyLoad(
  url: string,
  targets: readonly { readonly path: string; readonly address: string }[],
  headers: readonly RequestHeaders[],
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
): Promise<readonly Requested[]> {
  return withCloser(async (closer) => {
    const call = openCaller(closer, Infinity);
    const requested: Promise<Requested>[] = [];
    const startMs = performance.now();
    for (let index = 0; index < (durationMs * perSecond) / 1_000; index += 1) {
      const target = targets[index % targets.length];
      if (target === undefined) break;
      const dueMs = startMs + (index * 1_000) / perSecond;
      const early = dueMs - performance.now();
      if (early > 1) await delay(early);
      const own = headers[index % headers.length] ?? {};
      const answered = call(url + target.address, { headers: own }).catch(() => ({ status: 0, bytes: 0 }));
      requested.push(answered.then(({ status, bytes }) => ({ path: target.path, ms: performance.now() - dueMs, status, bytes })));
    }
    return Promise.all(requested);
  });
}
