/**
 * Every npm script passes here: `node tools/bootstrap.mjs <command> [arguments]`. Installs what the command lacks, goes on
 * with the Node that the workspace pins, and runs the command. Starts on any Node from 20.20, with nothing installed.
 */
import { spawnSync } from 'node:child_process';
import { dirname, delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, isInstalled } from './setup/install.mjs';
import { withLock } from './setup/lock.mjs';
import { goOnWithPinnedNode } from './setup/pinned-node.mjs';
import { ensurePrograms } from './setup/system-programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = '', ...rest] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);

try {
  process.chdir(root);
  await withLock(root, say, () => installPackages());
  if (!(await goOnWithPinnedNode(root))) await run();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}
