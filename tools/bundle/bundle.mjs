import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { digestOfFiles, filesUnder } from '../setup/digest.mjs';
import { entries } from './entries.mjs';

/**
 * Makes one file under dist/ of each entry, with its source map, unless the sources are those it was last made from. Files
 * are put in place one by one, whole, so that a running system can go on starting processes from them.
 * @returns whether bundles were made
 */
export async function bundle(root) {
  const dist = join(root, 'dist');
  const mark = join(dist, '.sources');
  const digest = digestOfFiles(root, sourceFiles(root));
  if (existsSync(mark) && readFileSync(mark, 'utf8') === digest) return false;

  const { build, stop } = await import('esbuild');
  const partial = join(dist, `.making-${process.pid}`);
  mkdirSync(partial, { recursive: true });
  try {
    await build({
      absWorkingDir: root,
      entryPoints: Object.entries(entries)
        .filter(([, file]) => existsSync(join(root, file)))
        .map(([out, file]) => ({ in: file, out })),
      outdir: partial,
      bundle: true,
      platform: 'node',
      target: 'node20',
      format: 'cjs',
      sourcemap: true,
      sourcesContent: false,
      external: ['pg-native'],
      logLevel: 'warning',
    });
    for (const file of readdirSync(partial)) renameSync(join(partial, file), join(dist, file));
    writeFileSync(mark, digest);
  } finally {
    rmSync(partial, { recursive: true, force: true });
    await stop();
  }
  return true;
}

/** Whatever can change a bundle. */
function sourceFiles(root) {
  const folders = ['apps', 'libs', 'tools'].flatMap((folder) => filesUnder(root, folder));
  const sources = folders.filter((file) => /\.(ts|mjs|cjs|json|yaml)$/.test(file) && !/\.test\.ts$/.test(file));
  return [...sources, 'package-lock.json', 'tsconfig.base.json'];
}
