import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire, isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { entries, programPath, releasedProcesses, userProgram } from './entries.mjs';
import { packageFolderOf } from './installed.mjs';
import { tracingPackages } from './tracing-packages.mjs';
import { besideChanged, noteBeside, releaseSources } from './release.mjs';

/** What packages written for CommonJS expect to find in a file. */
const COMMONJS_NAMES =
  "import { createRequire, isBuiltin } from 'node:module'; const require = createRequire(import.meta.url), __dirname = import.meta.dirname;";

/**
 * Makes one file under dist/ of each entry, with its source map, and the program of users in parts that it reads when it needs them, unless
 * the sources are those they were last made from. Another process makes them, since this one may go on to run for days and would keep the
 * memory that bundling takes.
 * @returns whether bundles were made
 * @throws Error when a source cannot be bundled, or the policy that the bundles would carry is none
 */
export function bundle(root) {
  const digest = digestOfFiles(root, sourceFiles(root));
  const mark = markIn(root);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return recordBeside(root);
  const main = fileURLToPath(new URL('bundle-main.mjs', import.meta.url));
  const { status, stderr, error } = spawnSync(process.execPath, [main, root, digest], {
    stdio: ['ignore', 'inherit', 'pipe'],
    encoding: 'utf8',
  });
  if (status !== 0) throw error ?? new Error(stderr.trim());
  process.stderr.write(stderr);
  return true;
}

const markIn = (root) => join(root, 'dist', '.sources');
const recordIn = (root) => join(root, 'dist', 'release.json');

/**
 * Makes the files. They are put in place one by one, whole, so that a running system can go on starting processes from them.
 * @param digest of the sources
 * @throws Error when a source cannot be bundled, or the policy that the bundles would carry is none
 */
export async function makeBundles(root, digest) {
  const dist = join(root, 'dist');
  const { build, stop } = await import('esbuild');
  try {
    const common = {
      absWorkingDir: root,
      outdir: dist,
      write: false,
      bundle: true,
      platform: 'node',
      target: 'node20',
      sourcemap: true,
      sourcesContent: false,
      // V8 keeps the text of a running program. Without comments it is shorter by a third, and all ASCII: one byte a character, not two.
      minifyWhitespace: true,
      lineLimit: 160,
      external: ['pg-native', '@aws-sdk/client-s3', '@duckdb/node-api', '@node-rs/argon2', 'playwright-core', 'vite', 'esbuild'],
      plugins: [tracingPackages],
      logLevel: 'warning',
    };
    const [{ outputFiles, metafile }, { outputFiles: partFiles }] = await Promise.all([
      build({
        ...common,
        format: 'cjs',
        entryPoints: Object.entries(entries).map(([out, file]) => ({ in: file, out })),
        outExtension: { '.js': '.cjs' },
        metafile: true,
      }),
      build({
        ...common,
        format: 'esm',
        splitting: true,
        entryPoints: [{ in: userProgram.file, out: userProgram.name }],
        outExtension: { '.js': '.mjs' },
        chunkNames: `${userProgram.name}/[name]-[hash]`,
        banner: { js: COMMONJS_NAMES },
      }),
    ]);
    mkdirSync(join(dist, userProgram.name), { recursive: true });
    const policyCheck = join(root, programPath('shipped-policy'));
    const isOfCheck = ({ path }) => path.startsWith(policyCheck);
    for (const { path, contents } of outputFiles.filter(isOfCheck)) writeWhole(path, contents);
    createRequire(import.meta.url)(policyCheck).checkShippedPolicy(root);
    for (const { path, contents } of [...outputFiles.filter((file) => !isOfCheck(file)), ...partsFirst(partFiles)])
      writeWhole(path, contents);
    removeOthers(join(dist, userProgram.name), partFiles);
    createRequire(import.meta.url)(join(root, programPath('portal-sample'))).writePortalSample(root);
    writeWhole(join(dist, 'contents.json'), `${JSON.stringify(contentsOf(metafile), null, 1)}\n`);
    recordBuild(root, recordIn(root), [...outputFiles, ...partFiles], digest);
    writeWhole(markIn(root), digest);
  } finally {
    await stop();
  }
}

/** The files of the program's parts, then the file that names them. */
function partsFirst(files) {
  const isMain = ({ path }) => basename(path).startsWith(`${userProgram.name}.`);
  return [...files.filter((file) => !isMain(file)), ...files.filter(isMain)];
}

/** Removes the parts of an earlier build. */
function removeOthers(folder, files) {
  const names = new Set(files.filter(({ path }) => dirname(path) === folder).map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name));
}

/** Of each program: the folders of the packages that it has in it, and what it loads beside itself, by the names that it asks for. */
function contentsOf({ outputs }) {
  const programs = Object.entries(outputs).filter(([, { entryPoint }]) => entryPoint !== undefined);
  return Object.fromEntries(
    programs.map(([file, { inputs, imports }]) => {
      const used = Object.entries(inputs).filter(([, { bytesInOutput }]) => bytesInOutput > 0);
      const packages = used.flatMap(([input]) => packageFolderOf(input) ?? []);
      const loads = imports.filter(({ external, path }) => external === true && !isBuiltin(path)).map(({ path }) => path);
      return [basename(file, '.cjs'), { packages: [...new Set(packages)].sort(), loads: [...new Set(loads)].sort() }];
    }),
  );
}

/** Writes down what was made, from the bytes that came out of bundling and not from those that lie in the folder later. */
function recordBuild(root, record, outputFiles, digest) {
  const dist = join(root, 'dist');
  const isReleased = (file) => file.endsWith('.mjs') || releasedProcesses.some((name) => `dist/${file}` === programPath(name));
  const programs = outputFiles
    .map(({ path, contents }) => ({ file: relative(dist, path), bytes: contents }))
    .filter(({ file }) => isReleased(file))
    .map(({ file, bytes }) => ({ name: file.replace(/\.[cm]js$/, ''), file: `dist/${file}`, bytes }));
  recorder(root).recordBuild(record, programs, releaseSources(root, digest));
  noteBeside(root);
}

/**
 * Writes documents and sites down where they changed since, beside the programs as they were made.
 * @returns whether they had
 */
export function recordBeside(root) {
  if (!besideChanged(root)) return false;
  const { recordBeside: rerecord, readReleaseRecord } = recorder(root);
  const record = recordIn(root);
  rerecord(record, readReleaseRecord(record), releaseSources(root, readFileSync(markIn(root), 'utf8')));
  noteBeside(root);
  return true;
}

/** Writes the record of an image into its folder: of the programs there, and of whatever else is released and lies there. */
export function recordImage(root, folder, names, seconds) {
  const programs = names.map((name) => ({ name, file: programPath(name), bytes: readFileSync(join(folder, programPath(name))) }));
  const { documents, sites, ...sources } = releaseSources(root, readFileSync(markIn(root), 'utf8'));
  const isThere = (file) => existsSync(join(folder, file));
  const there = { documents: documents.filter(isThere), sites: sites.filter(({ file }) => isThere(file)) };
  recorder(root).recordBuild(recordIn(folder), programs, { ...sources, ...there, nowMs: seconds * 1_000 });
}

function recorder(root) {
  return createRequire(import.meta.url)(join(root, programPath('record-release')));
}

/** Whatever can change a bundle; the portal is built by itself. */
function sourceFiles(root) {
  const folders = ['apps', 'libs', 'tools']
    .flatMap((folder) => filesUnder(root, folder))
    .filter((file) => !file.startsWith('apps/portal/'));
  const sources = folders.filter((file) => /\.(ts|mjs|cjs|json|yaml)$/.test(file) && !/\.test\.ts$/.test(file));
  return [...sources, 'services.json', 'package-lock.json', 'tsconfig.base.json'];
}

/** Puts a file in place in one step. */
function writeWhole(path, contents) {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}
