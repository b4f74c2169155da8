import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { images } from '@market-state/deploy';
import { workspaceRoot } from '@market-state/launcher';
import { findProgram, openFolder } from '@market-state/testing';
import { needsProgram, needsRoot, type Suite, type SuiteContext } from '../harness';
import { type BaseRoots, makeBaseRoots } from './base-roots';
import { runCommand } from './command';
import { openImageStore } from './image-store';
import { judgeFiles } from './judge-files';
import { runSystemOfImages } from './run-system';
import { copySources, type Sources } from './sources';

/** What the suite runs, by the package of Debian that has it. */
const PROGRAMS = {
  buildah: 'buildah',
  bwrap: 'bubblewrap',
  debootstrap: 'debootstrap',
  ip: 'iproute2',
  '/usr/lib/postgresql/15/bin/postgres': 'postgresql-15',
  '/usr/bin/redis-server': 'redis-server',
  '/usr/sbin/haproxy': 'haproxy',
};

const WITH_DUCKDB = ['data-plane', 'labeling', 'export'];
const MB = 1_000_000;
const sizeMaxOf = (app: string): number => (WITH_DUCKDB.includes(app) ? 300 : 200) * MB;
const FILL_MS = 10 * 60_000;
const INSTALL = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'];

/** Images as they are built and run, without an engine of containers. */
export const imageSuite: Suite = {
  id: 'image',
  claim: 'images are built without a network, each time the same, have no secret, and run the whole product as nobody on read-only files',
  budget: { default: 2, counts: 'builds of each image' },
  short: { seed: 1, budget: 1 },
  needs: [needsRoot, ...Object.entries(PROGRAMS).map(([program, debianPackage]) => needsProgram(program, debianPackage))],
  async run(context) {
    const { closer, budget, say, random } = context;
    for (const [program, debianPackage] of Object.entries(PROGRAMS)) await findProgram(program, debianPackage, say);
    const folder = openFolder(closer);
    const canary = `canary-${Math.floor(random() * 2 ** 48).toString(36)}`;
    const sources = await copySources(join(folder, 'sources'), canary);
    await runCommand('npm', INSTALL, { cwd: sources.folder, timeoutMs: FILL_MS });
    say("npm's cache has every package of the lock file");
    const roots = await makeBaseRoots(folder);
    say('what stands in for the two bases is made of packages of Debian and npm');
    const built: ReadonlyMap<string, string>[] = [];
    for (let pass = 1; pass <= budget; pass += 1) built.push(await buildAll(context, folder, sources, roots, pass));
    compareBuilds(context, built);
    const unpacked = join(folder, 'images');
    judgeAll(context, unpacked, roots, forbiddenTexts(sources, folder));
    context.report.add(await runSystemOfImages(closer, unpacked, say));
  },
};

/** Builds every image in a store of its own; the first time unpacks each. @returns identifiers by app */
async function buildAll({ report, say }: SuiteContext, folder: string, sources: Sources, roots: BaseRoots, pass: number) {
  const store = openImageStore(join(folder, `store-${pass}`));
  const bases = { build: await store.addBase('build-base', roots.build), run: await store.addBase('run-base', roots.run) };
  const npm = await offlineNpm(folder);
  const ids = new Map<string, string>();
  for (const app of images) {
    const startedAt = performance.now();
    const id = await store.build({ app, sources: sources.folder, seconds: sources.seconds, bases, npm });
    const seconds = Math.round((performance.now() - startedAt) / 1_000);
    say(`build ${pass} of ${app}: ${id}, ${seconds} s`);
    ids.set(app, id);
    if (pass > 1) continue;
    report.figure(`identifier of ${app}`, id);
    mkdirSync(join(folder, 'images'), { recursive: true, mode: 0o755 });
    const config = await store.unpack(id, join(folder, 'images', app));
    writeFileSync(join(folder, 'images', `${app}.json`), JSON.stringify(config));
  }
  return ids;
}

/** This machine's cache of npm, and settings by which nothing else is asked. */
async function offlineNpm(folder: string) {
  const ask = async (name: string): Promise<string> => (await runCommand('npm', ['config', 'get', name], { timeoutMs: FILL_MS })).trim();
  const settings = join(folder, 'npm-settings');
  writeFileSync(settings, `offline=true\nregistry=${await ask('registry')}\n`);
  return { cache: await ask('cache'), settings };
}

function compareBuilds({ report }: SuiteContext, [first, ...others]: readonly ReadonlyMap<string, string>[]): void {
  for (const ids of others)
    for (const [app, id] of ids) report.check(id === first?.get(app), `Two builds of ${app} are ${first?.get(app)} and ${id}.`);
}

/** What no image may have in it, by what it is. */
function forbiddenTexts(sources: Sources, folder: string): Readonly<Record<string, string>> {
  return {
    'a text of a private file that lay beside the sources': sources.canary,
    'the path of the workspace': workspaceRoot(),
    'the path of a folder of this machine': folder,
    ...Object.fromEntries(
      ['apps', 'libs', 'tools', 'node_modules'].map((name) => [`a path of the first stage (${name})`, `/build/${name}/`]),
    ),
  };
}

function judgeAll({ report }: SuiteContext, unpacked: string, { run }: BaseRoots, forbidden: Readonly<Record<string, string>>): void {
  for (const app of images) {
    const { faults, bytes, ownBytes } = judgeFiles(app, join(unpacked, app), run, forbidden);
    report.fail(...faults);
    const [all, own] = [bytes, ownBytes].map((size) => (size / MB).toFixed(1));
    report.figure(`size of ${app}`, `${all} MB, of which ${own} MB are ours`);
    report.check(bytes <= sizeMaxOf(app), `The image of ${app} has ${all} MB.`);
  }
}
