import type { System } from '@market-state/launcher';
import { cpuMsBelow, cpuMsOf, pidsBelow, programOf } from '@market-state/testing';

/** The process that runs a program below this one. @throws Error when there is none */
function pidOf(program: string): number {
  const found = pidsBelow(process.pid).find((pid) => programOf(pid).split('/').at(-1) === program);
  if (found === undefined) throw new Error(`No ${program} runs below this process.`);
  return found;
}

/** CPU that a process of the system has used, milliseconds. */
export function cpuOfProcess(system: System, name: string): number {
  return cpuMsOf(system.processes.process(name).pid ?? 0);
}

/** CPU that a store has used, with all of its processes, milliseconds. */
export function cpuOfStore(program: 'redis-server' | 'postgres'): number {
  const pid = pidOf(program);
  return cpuMsOf(pid) + cpuMsBelow(pid, 0);
}
