import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

/** Without a daemon and plugin processes, which take longer to start than to work. */
export const NX_ENV = { NX_DAEMON: 'false', NX_TUI: 'false', NX_ISOLATE_PLUGINS: 'false' };
const OUTPUT_BYTES_MAX = 64 * 2 ** 20;

/**
 * @param targets `<project>:<target>`; Nx runs every named target of every named project
 * @returns true if anything was built
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
