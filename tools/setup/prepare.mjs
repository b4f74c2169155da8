import { install, isInstalled } from './install.mjs';
import { withSetupLock } from './setup-lock.mjs';
import { bundle } from '../bundle/bundle.mjs';
import { buildDocs } from '../bundle/docs.mjs';
import { buildDownloads } from '../bundle/downloads.mjs';
import { buildPortal } from '../bundle/portal.mjs';
import { generateCode } from '../generate/generate.mjs';

const nodeWanted = [20, 20];

/**
 * Brings the workspace to where its programs can run (packages, bundles), doing only what is missing or
 * stale. Uses nothing but what Node itself brings, because on a fresh clone there is nothing else.
 * @param say takes a line for a person to read
 * @param isBundled whether bundles are made: what generates sources must run before they fit together
 * @throws Error in a sentence when Node is too old or a step fails
 */
export async function prepare(root, say, { isBundled = true } = {}) {
  checkNode();
  process.env.MARKET_STATE_ROOT = root;
  await withSetupLock(root, say, () => setUp(root, say, isBundled));
}

function checkNode() {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > nodeWanted[0] || (major === nodeWanted[0] && minor >= nodeWanted[1])) return;
  throw new Error(`Node ${nodeWanted.join('.')} or newer is needed; this is ${process.versions.node}.`);
}

async function setUp(root, say, isBundled) {
  if (!isInstalled(root)) {
    say('Installing packages (the first time, this can take a minute or two)');
    await step('Packages', say, () => install(root));
  }
  if (!isBundled) return;
  await step('Generated code', say, () => generateCode(root));
  await step('Bundling', say, () => bundle(root));
  await step('Portal', say, () => buildPortal(root));
  await step('Packages of the clients', say, () => buildDownloads(root));
  await step('Documentation', say, () => buildDocs(root));
}

/** Runs a step and says how long it took, unless it found nothing to do. */
async function step(name, say, work) {
  const startedAt = performance.now();
  const did = await work();
  if (did === false || did?.length === 0) return;
  say(`${name}: ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
}
