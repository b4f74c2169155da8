import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { entries, releasedPrograms } from './entries.mjs';
import { documentsChanged, noteDocuments, releaseSources } from './release.mjs';

/**
 * Makes one file under dist/ of each entry, with its source map, unless the sources are those it was last made from. Another process makes
 * them, since this one may go on to run for days and would keep the memory that bundling takes.
 * @returns whether bundles were made
 * @throws Error when a source cannot be bundled, or the policy that the bundles would carry is none
 */
export function bundle(root) {
  const digest = digestOfFiles(root, sourceFiles(root));
  const mark = markIn(root);
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return recordDocuments(root, recordIn(root), digest);
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
    const { outputFiles } = await build({
      absWorkingDir: root,
      entryPoints: Object.entries(entries).map(([out, file]) => ({ in: file, out })),
      outdir: dist,
      write: false,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      sourcemap: true,
      sourcesContent: false,
      // V8 keeps the text of a running program. Without comments it is shorter by a third, and all ASCII: one byte a character, not two.
      minifyWhitespace: true,
      lineLimit: 160,
      external: ['pg-native', '@aws-sdk/client-s3', '@duckdb/node-api', '@node-rs/argon2', 'openapi-explorer'],
      logLevel: 'warning',
    });
    mkdirSync(dist, { recursive: true });
    const policyCheck = join(dist, 'shipped-policy.js');
    const isOfCheck = ({ path }) => path.startsWith(policyCheck);
    for (const { path, contents } of outputFiles.filter(isOfCheck)) writeWhole(path, contents);
    createRequire(import.meta.url)(policyCheck).checkShippedPolicy(root);
    for (const { path, contents } of outputFiles.filter((file) => !isOfCheck(file))) writeWhole(path, contents);
    recordBuild(root, recordIn(root), outputFiles, digest);
    writeWhole(markIn(root), digest);
  } finally {
    await stop();
  }
}

/** Writes down what was made, from the bytes that came out of bundling and not from those that lie in the folder later. */
function recordBuild(root, record, outputFiles, digest) {
  const programs = releasedPrograms.map((name) => {
    const file = `dist/${name}.js`;
    const { contents } = outputFiles.find(({ path }) => path === join(root, file));
    return { name, file, bytes: contents };
  });
  recorder(root).recordBuild(record, programs, releaseSources(root, digest));
  noteDocuments(root);
}

/**
 * Writes documents down that changed since, beside the programs as they were made.
 * @returns whether any had
 */
function recordDocuments(root, record, digest) {
  if (!documentsChanged(root)) return false;
  const { recordDocuments: rerecord, readReleaseRecord } = recorder(root);
  rerecord(record, readReleaseRecord(record), releaseSources(root, digest));
  noteDocuments(root);
  return true;
}

function recorder(root) {
  return createRequire(import.meta.url)(join(root, 'dist', 'record-release.js'));
}

/** Whatever can change a bundle. */
function sourceFiles(root) {
  const folders = ['apps', 'libs', 'tools'].flatMap((folder) => filesUnder(root, folder));
  const sources = folders.filter((file) => /\.(ts|mjs|cjs|json|yaml)$/.test(file) && !/\.test\.ts$/.test(file));
  return [...sources, 'services.json', 'package-lock.json', 'tsconfig.base.json'];
}

/** Puts a file in place in one step. */
function writeWhole(path, contents) {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}
