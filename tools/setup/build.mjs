import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Nx keeps no process of its own running, and loads plugins into its own process: starting one for each takes longer than they work. */
export const NX_ENV = { NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' };
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

/**
 * Builds with Nx, which takes from its cache whatever it has built before.
 * @param targets `<project>:<target>`, all of the same few projects and targets, since Nx runs every target of every project
 * @returns whether anything was built
 * @throws Error with the output of Nx when a build fails
 */
export function build(root, targets) {
  const [projects, names] = [0, 1].map((part) => [...new Set(targets.map((target) => target.split(':')[part]))].join());
  const args = [join(root, 'node_modules/nx/dist/bin/nx.js'), 'run-many', '-t', names, '-p', projects];
  const { status, stdout, stderr, error } = spawnSync(process.execPath, args, {
    cwd: root,
    encoding: 'utf8',
    env: { ...process.env, ...NX_ENV },
    maxBuffer: OUTPUT_BYTES_MAX,
  });
  if (status !== 0) throw error ?? new Error(`The build failed.\n${stdout}${stderr}`);
  const [, hits, tasks] = /for (\d+) out of (\d+) tasks/.exec(stdout) ?? [];
  return hits === undefined || hits !== tasks;
}
