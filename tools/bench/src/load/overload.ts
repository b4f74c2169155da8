import { setTimeout as delay } from 'node:timers/promises';
import { waitForOk } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';
import { opsUrlOf, percentile, readProcessMetrics } from '@market-state/testing';
import { steadyLoad } from '../reads/steady-load';
import { drive, type LoadOrder, type LoadScene, faultsOf, isFlat, lineOf } from './drive';

const TIMES = 3;
const ALLOWED = [200, 429, 503];
const P99_MS_MAX = 500;
const BACK_MS_MAX = 10_000;
const MEMORY_EVERY_MS = 500;
const BYTES_OF_MIB = 1_024 * 1_024;
/** Below the gateway's total limit of 2,000. */
const CONNECTIONS = 1_800;
/** Their plans allow the design load. */
const LIMITED_TENANTS = 4;
const AFTER = { perSecond: 50, durationMs: 5_000 };

interface Loads {
  /** Answers per second at full speed. */
  readonly served: number;
  readonly builtFor: number;
  readonly seconds: number;
}

/**
 * Three times its capacity, from tenants whose plans allow it; then three times the design load, from tenants whose
 * plans do not.
 * @returns faults
 */
export async function measureOverload(scene: LoadScene, { served, builtFor, seconds }: Loads): Promise<readonly string[]> {
  const { url, keys } = scene;
  const few = keys.slice(0, LIMITED_TENANTS);
  const all = { url, keys, perSecond: TIMES * served, connections: CONNECTIONS / keys.length, seconds };
  const limited = { url, keys: few, perSecond: TIMES * builtFor, connections: CONNECTIONS / few.length, seconds };
  return [
    ...(await overload(scene, `three times its capacity, from ${keys.length} tenants whose plans allow it`, all)),
    ...(await overload(scene, `three times ${builtFor}/s, from ${few.length} tenants whose plans allow a third of it`, limited)),
  ];
}

async function overload({ system, url, keys, say }: LoadScene, what: string, order: LoadOrder): Promise<readonly string[]> {
  const gateway = { opsUrl: opsUrlOf(system, 'gateway') };
  await readProcessMetrics(gateway);
  const load = drive(order);
  let hasEnded = false;
  const ended = load.finally(() => (hasEnded = true));
  const memory: number[] = [];
  const pid = system.processes.process('gateway').pid;
  for (let lateP99Ms = 0; ; ) {
    await Promise.race([delay(MEMORY_EVERY_MS), ended]);
    const { residentBytes, loopDelayP99Ms } = await readProcessMetrics(gateway);
    memory.push(residentBytes / BYTES_OF_MIB);
    lateP99Ms = Math.max(lateP99Ms, loopDelayP99Ms);
    if (!hasEnded) continue;
    say(
      `${what}, ${Math.round(order.perSecond ?? 0)}/s intended over ${order.connections * order.keys.length} connections: ${lineOf(await load)}`,
    );
    say(
      `  gateway memory ${memory[0]?.toFixed(0)} to ${memory.at(-1)?.toFixed(0)} MiB, max ${Math.max(...memory).toFixed(0)}; ` +
        `event loop delay p99 ${lateP99Ms.toFixed(1)} ms in its worst half second`,
    );
    break;
  }
  const report = await load;
  const endedMs = performance.now();
  await waitForOk(`${system.url}/readyz`, timeLimit(BACK_MS_MAX));
  const readyMs = performance.now() - endedMs;
  const { pathname, search } = new URL(url);
  const headers = keys.slice(-1).map((key) => ({ 'x-market-state-api-key': key }));
  const after = await steadyLoad(system.url, [{ path: pathname, address: pathname + search }], headers, AFTER);
  const bad = after.filter(({ status }) => status !== 200).length;
  say(
    `  ready again after ${readyMs.toFixed(0)} ms; then ${AFTER.perSecond}/s: p99 ` +
      `${percentile(
        after.map(({ ms }) => ms),
        0.99,
      ).toFixed(1)} ms, other than 200: ${bad} of ${after.length}`,
  );
  const acceptedMs = percentile(Array.from(report.goodMs), 0.99);
  return [
    ...faultsOf(report, ALLOWED),
    ...(acceptedMs <= P99_MS_MAX ? [] : [`Answers with 200 have a p99 of ${acceptedMs.toFixed(0)} ms.`]),
    ...(isFlat(memory) ? [] : [`Gateway memory was still growing at the end, to ${memory.at(-1)?.toFixed(0)} MiB.`]),
    ...(bad === 0 ? [] : [`${bad} calls afterwards were not answered with 200.`]),
    ...(pid === system.processes.process('gateway').pid ? [] : ['The gateway exited and was restarted.']),
  ].map((fault) => `Under ${what}: ${fault}`);
}
