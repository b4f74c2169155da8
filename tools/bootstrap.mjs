/**
 * Entry point of every npm script: `node tools/bootstrap.mjs <command> [arguments]`. Installs what the command needs,
 * then runs it with the pinned Node. Starts on any Node from 20.20, with nothing installed.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from './setup/build.mjs';
import { installPackages } from './setup/install.mjs';
import { runWithPinnedNode } from './setup/pinned-node.mjs';
import { runTests } from './setup/run-tests.mjs';
import { withSetupLock } from './setup/setup-lock.mjs';
import { ensurePrograms } from './setup/system-programs.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [name = '', ...rest] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${line}\n`);

const EVERYTHING = 'launcher:prepare-start';
const SMALL_HEAP = ['--max-semi-space-size=1', '--max-old-space-size=256'];
/**
 * Requirements of each command: system programs and Nx targets; those without `run` are programs of that name in dist.
 */
const commands = {
  start: { programs: ['redis'], targets: [EVERYTHING], run: replaceBySupervisor },
  test: { programs: ['redis', 'chromium', 'curl', 'python'], targets: [], run: () => runTests(root, rest, say) },
  verify: { programs: ['redis', 'chromium', 'curl', 'python'], targets: [EVERYTHING, 'verify:build'] },
  bench: { programs: ['redis'], targets: [EVERYTHING, 'bench:build'] },
  prepare: { programs: [], targets: [EVERYTHING], run: () => undefined },
  'prepare-cli': { programs: [], targets: ['cli:build'], run: () => undefined },
  generate: { programs: [], targets: [], run: generate },
  migrate: { programs: [], targets: ['launcher:build'] },
  manifests: { programs: [], targets: ['deploy:build'] },
  release: { programs: [], targets: ['deploy:build'] },
};

try {
  process.chdir(root);
  await main();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

async function main() {
  const command = commands[name];
  if (command === undefined) throw new Error(`Unknown command "${name}". Commands: ${Object.keys(commands).join(', ')}.`);
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major < 20 || (major === 20 && minor < 20)) throw new Error(`Node 20.20 or newer is needed; this is ${process.versions.node}.`);
  const path = await install(command.programs);
  if (await runWithPinnedNode(root)) return;
  process.env.MARKET_STATE_ROOT = root;
  process.env.PATH = [join(root, 'node_modules', '.bin'), path].join(delimiter);
  await buildTargets(command.targets);
  await (command.run ?? runProgram)();
}

/** Runs both downloads concurrently, and reports a failure after both end. @returns the PATH with the programs */
async function install(programs) {
  const results = await Promise.allSettled([installPackages(root, say), ensurePrograms(programs, say)]);
  const failed = results.find(({ status }) => status === 'rejected');
  if (failed !== undefined) throw failed.reason;
  return results[1].value;
}

async function buildTargets(targets) {
  if (targets.length === 0) return;
  if (!existsSync(join(root, 'dist'))) say('Building (the first time, this can take a minute)');
  const startedAt = performance.now();
  const isBuilt = await withSetupLock(root, say, () => build(root, targets));
  if (isBuilt) say(`Build: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

function runProgram() {
  const file = join(root, 'dist', `${name}.cjs`);
  process.argv = [process.argv[0], file, ...rest];
  createRequire(import.meta.url)(file);
}

/** Continues as the same process with a small heap: at rest it only watches the others. */
function replaceBySupervisor() {
  if (process.execve === undefined) return runProgram();
  const file = join(root, 'dist', `${name}.cjs`);
  process.execve(process.execPath, [process.execPath, ...SMALL_HEAP, file, ...rest], { ...process.env, MALLOC_MMAP_THRESHOLD_: '32000' });
}

async function generate() {
  const { generate: write } = await import('./generate/generate.mjs');
  return write(root, rest);
}
