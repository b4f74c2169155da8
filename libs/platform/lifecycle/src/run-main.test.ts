import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createMemoryCheck, reduceMemory } from './run-main';

const MIB = 1_024 * 1_024;

it('reduces memory when the process is idle and has grown, and not again for ten checks', () => {
  let [busy, resident, reductions] = [1, 200 * MIB, 0];
  const check = createMemoryCheck({
    busyShare: () => busy,
    residentBytes: () => resident,
    reduce: () => void (reductions += 1),
  });
  const reductionsAfter = (share: number, mib: number, checks = 1): number => {
    [busy, resident] = [share, mib * MIB];
    for (let done = 0; done < checks; done += 1) check();
    return reductions;
  };
  expect(reductionsAfter(0.1, 200, 3)).toBe(0);
  expect(reductionsAfter(0.9, 200)).toBe(0);
  expect(reductionsAfter(0.1, 200)).toBe(1);
  expect(reductionsAfter(0.1, 100)).toBe(1);
  expect(reductionsAfter(0.1, 140, 9)).toBe(1);
  expect(reductionsAfter(0.9, 140)).toBe(1);
  expect(reductionsAfter(0.1, 120)).toBe(1);
  expect(reductionsAfter(0.1, 140)).toBe(2);
});

/** Fills and frees 60 MiB of old objects, reduces memory, and prints when 30 MiB were returned. */
const PROGRAM = `
  import { ${reduceMemory.name} as reduce } from '${join(import.meta.dirname, 'run-main.ts')}';
  const fill = () => Array.from({ length: 600_000 }, (_, index) => ({ index, text: String(index) }));
  const rss = () => Math.round(process.memoryUsage.rss() / ${MIB});
  for (let round = 0; round < 4; round += 1) fill();
  const before = rss();
  reduce(60_000);
  const timer = setInterval(() => {
    for (let index = 0; index < 1_000; index += 1) String(Math.random());
    if (rss() > before - 30) return;
    clearInterval(timer);
    console.log('returned');
  }, 100);
`;

it('makes V8 return pages that it has freed', async () => {
  const flags = ['--max-semi-space-size=2', '--single-threaded-gc', '--gc-memory-reducer-start-delay-ms=200'];
  const child = spawn(process.execPath, [...flags, '--input-type=module', '--import=@oxc-node/core/register', '-e', PROGRAM], {
    cwd: import.meta.dirname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const [printed] = (await once(child.stdout, 'data')) as [Buffer];
  expect(printed.toString()).toBe('returned\n');
  if (child.exitCode === null) await once(child, 'exit');
});
