import { delay } from '@market-state/lifecycle';
import { memoryOfTree, shuffle } from '@market-state/testing';
import { needsProgram, type Suite } from '../harness';
import type { ComposeRun } from './compose-run';
import { startComposeServer } from './compose-server';

const READY_MS_MAX = 60_000;
const MEMORY_MIB_MAX = 2_000;
/** Requirement: "Back within 30 s, nobody helping." */
const HEALED_MS_MAX = 30_000;
const WATCH_MS_MAX = 120_000;
const LOOK_MS = 100;

export const composeSuite: Suite = {
  id: 'compose',
  claim: 'the settings and start order of the Compose file start the whole product, and any killed process recovers by itself',
  budget: { default: 1, counts: 'kills of each process' },
  short: { seed: 1, budget: 1 },
  needs: [
    needsProgram('/usr/lib/postgresql/15/bin/postgres', 'postgresql-15'),
    needsProgram('/usr/bin/redis-server', 'redis-server'),
    needsProgram('/usr/sbin/haproxy', 'haproxy'),
  ],
  async run({ closer, report, random, budget, say }) {
    const { run, ask, readyMs } = await startComposeServer(closer, say);
    report.figure('from the first process to /readyz through HAProxy', `${Math.round(readyMs)} ms`);
    report.checkTime(readyMs <= READY_MS_MAX, `/readyz was 200 only after ${Math.round(readyMs)} ms.`);

    const times: number[] = [];
    for (const name of shuffle(Array.from({ length: budget }, () => run.names).flat(), random)) {
      const healedMs = await killAndWatch(run, name, async () => (await ask('/readyz')).status);
      say(`${name} killed: recovered after ${Math.round(healedMs)} ms`);
      times.push(healedMs);
      report.checkTime(healedMs <= HEALED_MS_MAX, `After ${name} was killed, the system recovered only after ${Math.round(healedMs)} ms.`);
    }
    report.figure(
      'from a kill until /readyz reports everything ready',
      `at most ${Math.round(Math.max(...times))} ms of ${times.length} kills`,
    );

    const { totalMiB, processes } = memoryOfTree(process.pid);
    for (const { name, mib } of processes) say(`${name}: ${Math.round(mib)} MiB`);
    report.figure('memory of all processes, proportional set size', `${Math.round(totalMiB)} MiB`);
    report.check(totalMiB <= MEMORY_MIB_MAX, `All processes together use ${Math.round(totalMiB)} MiB.`);
  },
};

async function killAndWatch(run: ComposeRun, name: string, status: () => Promise<number>): Promise<number> {
  const before = run.restarts(name);
  const killedAt = performance.now();
  run.kill(name);
  for (;;) {
    const isWell = run.restarts(name) > before && (await run.isReady(name)) && (await status()) === 200;
    const tookMs = performance.now() - killedAt;
    if (isWell) return tookMs;
    if (tookMs > WATCH_MS_MAX) throw new Error(`${name} was killed, and the system did not recover within ${WATCH_MS_MAX} ms.`);
    await delay(LOOK_MS);
  }
}
