import { cpuMsBelow, cpuMsOf } from '@market-state/testing';
import { drive } from './drive';
import { lineOf } from './judge';
import type { LoadScene } from './load-scene';
import { startNginx } from './nginx';
import { runWrk } from './wrk';

const SECONDS = 6;
const CONNECTIONS = 2;

/** A server that is asked, and the CPU that it has used. */
interface Asked {
  readonly name: string;
  readonly url: string;
  readonly cpuMs: () => number;
}

/**
 * How many answers a second the gateway gives at full speed, and nginx from a file of the same size, by autocannon and by wrk, with the
 * CPU of each for an answer. @returns the most of the gateway
 */
export async function measureSpeed(scene: LoadScene, bytes: number): Promise<number> {
  const { system, url, say } = scene;
  const pid = system.processes.process('gateway').pid ?? 0;
  const gateway = await tell(scene, { name: 'gateway', url, cpuMs: () => cpuMsOf(pid) });
  const nginx = await startNginx(bytes);
  if (nginx === undefined) {
    say('nginx, a file of the same size: not measured, it is not on this machine');
    return gateway;
  }
  try {
    await tell(scene, { name: `nginx, a file of ${bytes} bytes`, url: nginx.url, cpuMs: () => cpuMsBelow(nginx.pid, 0) });
  } finally {
    await nginx.stop();
  }
  return gateway;
}

async function tell({ keys, say }: LoadScene, { name, url, cpuMs }: Asked): Promise<number> {
  let before = cpuMs();
  const report = await drive({ url, keys, perSecond: null, connections: CONNECTIONS, seconds: SECONDS });
  const answered = Object.values(report.statuses).reduce((sum, total) => sum + total, 0);
  say(`${name} at full speed, by autocannon: ${lineOf(report)}; CPU ${(((cpuMs() - before) * 1_000) / answered).toFixed(0)} us an answer`);
  before = cpuMs();
  const wrk = await runWrk(url, keys, SECONDS);
  if (wrk === undefined) {
    say(`${name} by wrk: not measured, it is not on this machine`);
    return answered / report.seconds;
  }
  const perSecond = (wrk.requests / wrk.durationUs) * 1_000_000;
  say(
    `${name} at full speed, by wrk: ${perSecond.toFixed(0)}/s, p50 ${(wrk.p50Us / 1_000).toFixed(1)} ms, p99 ` +
      `${(wrk.p99Us / 1_000).toFixed(1)} ms, refused ${wrk.bad}, broken ${wrk.broken}; CPU ` +
      `${(((cpuMs() - before) * 1_000) / wrk.requests).toFixed(0)} us an answer`,
  );
  return Math.max(answered / report.seconds, perSecond);
}
