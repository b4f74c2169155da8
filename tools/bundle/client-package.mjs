import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = ['index', 'operations', 'player', 'webhooks', 'verify'];
const FILES = { node: 'files-node', default: 'files-browser' };

/** Builds the npm package `@market-state/client`. To publish, run `npm publish` in `folder`. */
export async function buildClientPackage(root, folder) {
  const source = join(root, 'libs', 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = { bundle: true, format: 'esm', target: 'es2022', outdir: folder, legalComments: 'none', logLevel: 'error' };
  const entryOf = (name) => join(source, 'src', `${name}.ts`);
  await build({ ...common, entryPoints: ENTRIES.map(entryOf), splitting: true, platform: 'neutral', external: ['#files'] });
  await build({ ...common, entryPoints: { [FILES.node]: entryOf('files/node') }, platform: 'node' });
  await build({ ...common, entryPoints: { [FILES.default]: entryOf('files/browser') }, platform: 'browser' });
  writeTypes(root, source, join(folder, 'types'));
  const { name, version, license, description, type, sideEffects, engines } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  const exported = (entry) => ({ types: `./types/${entry}.d.ts`, default: `./${entry}.js` });
  const manifest = {
    ...{ name, version, license, description, type, sideEffects, engines },
    exports: Object.fromEntries(ENTRIES.map((entry) => [entry === 'index' ? '.' : `./${entry}`, exported(entry)])),
    imports: { '#files': { node: `./${FILES.node}.js`, default: `./${FILES.default}.js` } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Declarations with the file extensions required by Node's resolution. */
function writeTypes(root, source, folder) {
  const options = ['--noEmit', 'false', '--emitDeclarationOnly', '--declaration', '--rootDir', join(source, 'src'), '--outDir', folder];
  const config = join(source, 'tsconfig.package.json');
  const { status, stdout } = spawnSync(
    process.execPath,
    [join(root, 'node_modules', 'typescript7', 'bin', 'tsc'), '-p', config, ...options],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The SDK's types could not be built.\n${stdout}`);
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath ?? entry.path, entry.name);
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(/((?:from|import\()\s*['"])(\.{1,2}\/[^'"]+)(?=['"])/g, '$1$2.js'));
  }
}
