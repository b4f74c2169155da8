import { setTimeout as delay } from 'node:timers/promises';
import { cpus } from 'node:os';
import { account } from '@market-state/contracts';
import type { System } from '@market-state/launcher';
import { callOnce, openCaller, withCloser, ALL_SCOPES, openTenants } from '@market-state/testing';

/** More than a run can use. */
const CREDITS = 100_000_000;
/** Tenants that are made at once. */
const AT_ONCE = 4;

/** Keys of so many tenants, each of which may make 500 requests a second. */
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

/** Time that all cores have spent at work and at rest, milliseconds. */
export function busyAndIdleMs(): readonly [busy: number, idle: number] {
  const times = cpus().map((core) => core.times);
  return [
    times.reduce((sum, { user, nice, sys, irq }) => sum + user + nice + sys + irq, 0),
    times.reduce((sum, { idle }) => sum + idle, 0),
  ];
}

/** Share of all cores that was at work between two of these. */
export function busyShare([busyBefore, idleBefore]: readonly [number, number], [busy, idle]: readonly [number, number]): number {
  return (busy - busyBefore) / (busy - busyBefore + idle - idleBefore);
}

export interface Asked {
  readonly path: string;
  /** From the instant at which it was due to its last byte, milliseconds. */
  readonly ms: number;
  /** 0 where no answer came. */
  readonly status: number;
  readonly bytes: number;
}

export type RequestHeaders = Readonly<Record<string, string>>;

/** Bytes of the answer to a call with this key. @throws Error when none comes */
export async function sizeOfAnswer(url: string, key: string): Promise<number> {
  const answer = await callOnce(url, { key });
  if (answer === null) throw new Error(`${url} was not answered.`);
  return answer.bytes;
}

/**
 * Asks the addresses in turn, with the headers of one caller after the other, each when it is due and whether or not earlier ones have been
 * answered: what waits because the server is slow counts from when it should have been sent.
 */
export function steadyLoad(
  url: string,
  targets: readonly { readonly path: string; readonly address: string }[],
  headers: readonly RequestHeaders[],
  { perSecond, durationMs }: { perSecond: number; durationMs: number },
): Promise<readonly Asked[]> {
  return withCloser(async (closer) => {
    const call = openCaller(closer, Infinity);
    const asked: Promise<Asked>[] = [];
    const startMs = performance.now();
    for (let index = 0; index < (durationMs * perSecond) / 1_000; index += 1) {
      const target = targets[index % targets.length];
      if (target === undefined) break;
      const dueMs = startMs + (index * 1_000) / perSecond;
      const early = dueMs - performance.now();
      if (early > 1) await delay(early);
      const own = headers[index % headers.length] ?? {};
      const answered = call(url + target.address, { headers: own }).catch(() => ({ status: 0, bytes: 0 }));
      asked.push(answered.then(({ status, bytes }) => ({ path: target.path, ms: performance.now() - dueMs, status, bytes })));
    }
    return Promise.all(asked);
  });
}
