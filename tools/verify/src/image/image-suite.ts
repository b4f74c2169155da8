import { mkdirSync, writeFileSync, copyFileSync, existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import { join, dirname } from 'node:path';
import { spawn } from 'node:child_process';
import { images, APP_FOLDER, DATA_FOLDER, USER_ID } from '@market-state/deploy';
import { workspaceRoot, programFile } from '@market-state/launcher';
import type { Closer } from '@market-state/lifecycle';
import { findProgram, openFolder } from '@market-state/testing';
import { needsProgram, needsRoot, type Suite, type SuiteContext, type SuiteResult } from '../harness';
import { type BaseRoots, makeBaseRoots, openImageStore } from './image-store';
import { runCommand } from './bubble';

export type SystemMessage = { readonly images: string };

/**
 * Runs the whole product from unpacked images, in a process with only a loopback network.
 * @param images folder of the unpacked images
 */
async function runSystemOfImages(closer: Closer, images: string, say: (line: string) => void): Promise<SuiteResult> {
  const child = spawn('unshare', ['--net', process.execPath, programFile('verify-image-system')], {
    stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
  });
  child.stdout?.on('data', (chunk: Buffer) => chunk.toString().trimEnd().split('\n').forEach(say));
  const done = new Promise<SuiteResult>((resolve, reject) => {
    child.once('message', (result) => resolve(result as SuiteResult));
    child.once('error', reject);
    child.once('exit', (code) => reject(new Error(`The program that runs the images exited with code ${code} and no report.`)));
  });
  done.catch(() => undefined);
  const ended = new Promise<void>((resolve) => void child.once('exit', () => resolve()));
  closer.add('system of images', async () => {
    if (child.connected) child.disconnect();
    await ended;
  });
  child.send({ images } satisfies SystemMessage);
  return done;
}

const SECRET_SHAPES: Readonly<Record<string, RegExp>> = {
  'a private key': /-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----\s*[A-Za-z0-9+/]{40}/g,
  'an API key': /\bmsk_(?:live|test)_[0-9A-Za-z]{46}\b/g,
  'a webhook secret': /\bwhsec_[A-Za-z0-9+/]{43}=/g,
  'a token of npm': /\bnpm_[0-9A-Za-z]{36}\b|_authToken\s*=\s*\S/g,
  'a URL with a password': /\b(?:postgres(?:ql)?|redis|https?):\/\/[\w.-]*:[^\s@/{$'"`<]{8,}@[\w.-]+/g,
};

/** Examples in the OpenAPI document match those patterns, with one character repeated. */
const EXAMPLE = /(.)\1{15}/;

interface Entry {
  readonly path: string;
  readonly isFolder: boolean;
  readonly size: number;
  readonly mode: number;
  readonly uid: number;
}

function entriesOf(root: string, folder = ''): Entry[] {
  return readdirSync(join(root, folder)).flatMap((name) => {
    const path = `${folder}/${name}`;
    const stat = lstatSync(join(root, path));
    const own = { path, isFolder: stat.isDirectory(), size: stat.isFile() ? stat.size : 0, mode: stat.mode, uid: stat.uid };
    return stat.isDirectory() ? [own, ...entriesOf(root, path)] : [own];
  });
}

const isIn = (folder: string, path: string): boolean => path === folder || path.startsWith(`${folder}/`);

interface FileFindings {
  readonly faults: readonly string[];
  readonly bytes: number;
  readonly ownBytes: number;
}

/**
 * Checks an image's files: only the base's and ours, ours not writable, and none with a secret or a machine-specific
 * text.
 * @param base files of the base image
 * @param forbidden texts that no file may contain, by description
 */
export function judgeFiles(name: string, root: string, base: string, forbidden: Readonly<Record<string, string>>): FileFindings {
  const entries = entriesOf(root);
  const ours = entries.filter(({ path }) => isIn(APP_FOLDER, path));
  const data = entries.filter(({ path }) => isIn(DATA_FOLDER, path));
  const lineOf = ({ path, size, mode, uid }: Entry): string => `${path} ${size} ${mode.toString(8)} ${uid}`;
  const ofBase = new Set(entriesOf(base).map(lineOf));
  const isOfBase = (entry: Entry): boolean => ofBase.has(lineOf(entry)) && (entry.size === 0 || haveSameBytes(root, base, entry.path));
  const strange = entries.filter((entry) => !ours.includes(entry) && !data.includes(entry) && !isOfBase(entry));
  const faults = [
    ...strange.map((entry) => `${name} has ${lineOf(entry)}, which belongs to neither the base nor us.`),
    ...ours
      .filter(({ uid, mode }) => uid !== 0 || (mode & 0o022) !== 0)
      .map((entry) => `${name}: users other than root may change ${lineOf(entry)}.`),
    ...data
      .filter(({ uid, isFolder }) => uid !== USER_ID || !isFolder)
      .map((entry) => `${name}: ${lineOf(entry)} is no empty folder of the user's.`),
    ...ours.filter(({ isFolder }) => !isFolder).flatMap(({ path }) => faultsIn(name, path, readFileSync(join(root, path)), forbidden)),
  ];
  const sum = (list: readonly Entry[]): number => list.reduce((total, { size }) => total + size, 0);
  return { faults, bytes: sum(entries), ownBytes: sum(ours) };
}

function haveSameBytes(root: string, other: string, path: string): boolean {
  return readFileSync(join(root, path)).equals(readFileSync(join(other, path)));
}

function faultsIn(name: string, path: string, bytes: Buffer, forbidden: Readonly<Record<string, string>>): string[] {
  const text = bytes.toString('latin1');
  return [
    ...Object.entries(forbidden).flatMap(([what, words]) => (text.includes(words) ? [`${name}: ${path} has ${what}.`] : [])),
    ...Object.entries(SECRET_SHAPES).flatMap(([what, shape]) => {
      const found = [...text.matchAll(shape)].filter(([secret]) => !EXAMPLE.test(secret));
      return found.length === 0 ? [] : [`${name}: ${path} has ${what}.`];
    }),
  ];
}

const GIT_MS = 60_000;

/** Files an operator may have in the build folder, but no image may contain. */
const PRIVATE = [
  '.env',
  '.npmrc',
  '.git/config',
  '.data/secrets/ANSWER_SECRET',
  'apps/account/.env',
  'deploy/compose/.env',
  'deploy/compose/secrets/account/DATABASE_URL',
  'deploy/compose/certificates/ca.key',
  'tools/launcher/.data/signing-key.pem',
];

interface Sources {
  readonly folder: string;
  /** Time of the newest commit, seconds since 1970. */
  readonly seconds: number;
  /** Occurs in each planted file and nowhere else. */
  readonly canary: string;
}

/**
 * Copies all tracked and new files in their current state, and plants files that must not reach an image.
 * @param canary text of each planted file
 */
async function copySources(folder: string, canary: string): Promise<Sources> {
  const root = workspaceRoot();
  const git = (...args: readonly string[]): Promise<string> => runCommand('git', ['-C', root, ...args], { timeoutMs: GIT_MS });
  const files = (await git('ls-files', '-z', '--cached', '--others', '--exclude-standard')).split('\0').filter((file) => file !== '');
  for (const file of files) {
    const from = join(root, file);
    if (!existsSync(from) || !lstatSync(from).isFile()) continue;
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    copyFileSync(from, join(folder, file));
  }
  for (const file of PRIVATE) {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), `${file === '.npmrc' ? ';' : ''}${canary}\n`);
  }
  return { folder, seconds: Number((await git('log', '-1', '--format=%ct')).trim()), canary };
}

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

export const imageSuite: Suite = {
  id: 'image',
  claim:
    'images build without a network, reproducibly, contain no secret, and run the whole product as an unprivileged user on read-only files',
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
    say("npm\'s cache has every package of the lock file");
    const roots = await makeBaseRoots(folder);
    say('substitutes for the two base images are built from Debian and npm packages');
    const built: ReadonlyMap<string, string>[] = [];
    for (let pass = 1; pass <= budget; pass += 1) built.push(await buildAll(context, folder, sources, roots, pass));
    compareBuilds(context, built);
    const unpacked = join(folder, 'images');
    judgeAll(context, unpacked, roots, forbiddenTexts(sources, folder));
    context.report.add(await runSystemOfImages(closer, unpacked, say));
  },
};

/** Builds every image in a fresh store and unpacks each the first time. @returns ids by app */
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
    report.figure(`image id of ${app}`, id);
    mkdirSync(join(folder, 'images'), { recursive: true, mode: 0o755 });
    const config = await store.unpack(id, join(folder, 'images', app));
    writeFileSync(join(folder, 'images', `${app}.json`), JSON.stringify(config));
  }
  return ids;
}

/** This machine's npm cache, with settings that prevent any network access. */
async function offlineNpm(folder: string) {
  const ask = async (name: string): Promise<string> => (await runCommand('npm', ['config', 'get', name], { timeoutMs: FILL_MS })).trim();
  const settings = join(folder, 'npm-settings');
  writeFileSync(settings, `offline=true\nregistry=${await ask('registry')}\n`);
  return { cache: await ask('cache'), settings };
}

function compareBuilds({ report }: SuiteContext, [first, ...others]: readonly ReadonlyMap<string, string>[]): void {
  for (const ids of others)
    for (const [app, id] of ids) report.check(id === first?.get(app), `Two builds of ${app} differ: ${first?.get(app)} and ${id}.`);
}

function forbiddenTexts(sources: Sources, folder: string): Readonly<Record<string, string>> {
  return {
    'a text of a private file next to the sources': sources.canary,
    'the workspace path': workspaceRoot(),
    'the path of a folder on this machine': folder,
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
    report.figure(`size of ${app}`, `${all} MB, ${own} MB of them ours`);
    report.check(bytes <= sizeMaxOf(app), `The image of ${app} has ${all} MB.`);
  }
}
