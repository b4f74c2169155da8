import { spawnSync } from 'node:child_process';
import { copyFileSync, cpSync, globSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { build } from 'esbuild';

const ENTRIES = ['index', 'operations', 'player', 'webhooks', 'verify'];
const FILES = { node: 'files-node', default: 'files-browser' };

/** Folder for `require`, with a module for each source, so that all entries share their classes. */
const REQUIRED = 'cjs';

/**
 * Builds the npm package `@market-state/client`, for `import` and for `require`, with source maps. To publish, run `npm
 * publish` in `folder`.
 */
export async function buildClientPackage(root, folder) {
  const source = join(root, 'libs', 'client');
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const common = {
    bundle: true,
    format: 'esm',
    target: 'es2022',
    outdir: folder,
    legalComments: 'none',
    logLevel: 'error',
    sourcemap: true,
  };
  const entryOf = (name) => join(source, 'src', `${name}.ts`);
  await build({ ...common, entryPoints: ENTRIES.map(entryOf), splitting: true, platform: 'neutral', external: ['#files'] });
  await build({ ...common, entryPoints: { [FILES.node]: entryOf('files/node') }, platform: 'node' });
  await build({ ...common, entryPoints: { [FILES.default]: entryOf('files/browser') }, platform: 'browser' });
  await build({
    ...common,
    bundle: false,
    format: 'cjs',
    supported: { 'dynamic-import': false },
    platform: 'node',
    entryPoints: globSync('**/*.ts', { cwd: join(source, 'src') }).map((file) => join(source, 'src', file)),
    outbase: join(source, 'src'),
    outdir: join(folder, REQUIRED),
  });
  nameSources(source, folder);
  writeTypes(root, source, join(folder, 'types'));
  cpSync(join(folder, 'types'), join(folder, REQUIRED, 'types'), { recursive: true });
  const requiredFiles = { node: './files/node.js', default: './files/browser.js' };
  const scope = { type: 'commonjs', sideEffects: false, imports: { '#files': requiredFiles } };
  writeFileSync(join(folder, REQUIRED, 'package.json'), `${JSON.stringify(scope, null, 2)}\n`);
  const { name, version, license, description, type, sideEffects, engines } = JSON.parse(
    readFileSync(join(source, 'package.json'), 'utf8'),
  );
  const at = (prefix, entry) => ({ types: `${prefix}/types/${entry}.d.ts`, default: `${prefix}/${entry}.js` });
  const exported = (entry) => ({ require: at(`./${REQUIRED}`, entry), default: at('.', entry) });
  const manifest = {
    ...{ name, version, license, description, type, sideEffects, engines },
    exports: Object.fromEntries(ENTRIES.map((entry) => [entry === 'index' ? '.' : `./${entry}`, exported(entry)])),
    imports: { '#files': { node: `./${FILES.node}.js`, default: `./${FILES.default}.js` } },
  };
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`);
  copyFileSync(join(source, 'README.md'), join(folder, 'README.md'));
  copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));
}

/** Gives the sources in the maps the same names wherever the package is built; the maps contain their text. */
function nameSources(source, folder) {
  for (const name of globSync('**/*.js.map', { cwd: folder })) {
    const file = join(folder, name);
    const map = JSON.parse(readFileSync(file, 'utf8'));
    const named = (path) => `market-state-client/${relative(join(source, 'src'), resolve(dirname(file), path))}`;
    writeFileSync(file, JSON.stringify({ ...map, sources: map.sources.map(named) }));
  }
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
