import { build } from './build.mjs';
import { install, isInstalled } from './install.mjs';
import { withSetupLock } from './setup-lock.mjs';
const nodeWanted = [20, 20];

/**
 * Brings the workspace to where its programs can run (packages, builds), doing only what is missing or
 * stale. Uses nothing but what Node itself brings, because on a fresh clone there is nothing else.
 * @param say takes a line for a person to read
 * @param targets Nx targets to build, none for a command that needs no program
 * @throws Error in a sentence when Node is too old or a step fails
 */
export async function prepare(root, say, targets) {
  checkNode();
  process.env.MARKET_STATE_ROOT = root;
  await withSetupLock(root, say, () => setUp(root, say, targets));
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > nodeWanted[0] || (major === nodeWanted[0] && minor >= nodeWanted[1])) return;
  throw new Error(`Node ${nodeWanted.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

async function setUp(root, say, targets) {
  if (!isInstalled(root)) {
    say('Installing packages (the first time, this can take a minute or two)');
    await step('Packages', say, () => install(root));
  }
  if (targets.length > 0) await step('Build', say, () => build(root, targets));
}

/** Runs a step and says how long it took, unless it found nothing to do. */
async function step(name, say, work) {
  const startedAt = performance.now();
  const did = await work();
  if (did === false || did?.length === 0) return;
  say(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
