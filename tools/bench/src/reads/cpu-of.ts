import { readFileSync } from 'node:fs';

/** Linux counts CPU time in hundredths of a second for every program that asks. */
const MS_PER_TICK = 10;

/** CPU that a process has used, in all its threads, milliseconds. */
export function cpuMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [user = 0, system = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (user + system) * MS_PER_TICK;
}
