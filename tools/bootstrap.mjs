/**
 * Every npm script passes here: `node tools/bootstrap.mjs <command> [arguments]`. Brings the workspace to where the
 * command can run (packages, Prisma clients, bundles), doing only what is missing or stale, then runs it; the command
 * `prepare` stops there. Uses nothing
 * but what Node itself brings, because on a fresh clone there is nothing else.
 */
import { existsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { install, isInstalled } from './setup/install.mjs';
import { generatePrismaClients } from './setup/prisma-clients.mjs';
import { withSetupLock } from './setup/setup-lock.mjs';
import { bundle } from './bundle/bundle.mjs';

const nodeWanted = [20, 20];
const root = dirname(dirname(fileURLToPath(import.meta.url)));
const [command = '', ...rest] = process.argv.slice(2);

try {
  checkNode();
  process.chdir(root);
  process.env.MARKET_STATE_ROOT = root;
  await withSetupLock(root, say, setUp);
  await run();
} catch (error) {
  say(error.message);
  process.exitCode = 1;
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > nodeWanted[0] || (major === nodeWanted[0] && minor >= nodeWanted[1])) return;
  throw new Error(`Node ${nodeWanted.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

async function setUp() {
  if (!isInstalled(root)) {
    say('Installing packages (the first time, this can take a minute or two)');
    await step('Packages', () => install(root));
  }
  await step('Generating Prisma clients', () => generatePrismaClients(root));
  await step('Bundling', () => bundle(root));
}

/** Runs a step and says how long it took, unless it found nothing to do. */
async function step(name, work) {
  const startedAt = performance.now();
  const did = await work();
  if (did === false || did?.length === 0) return;
  say(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}

async function run() {
  if (command === 'prepare') return undefined;
  if (command === 'generate') {
    const { generate } = await import('./generate/generate.mjs');
    return generate(root, rest);
  }
  const file = join(root, 'dist', `${command}.js`);
  if (!existsSync(file)) throw new Error(`There is no command "${command}".`);
  process.argv = [process.argv[0], file, ...rest];
  createRequire(import.meta.url)(file);
}

function say(line) {
  process.stdout.write(`${line}\n`);
}
