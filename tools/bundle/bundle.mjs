/**
 * `node tools/bundle/bundle.mjs <service>|<name>=<file> …` bundles a service's processes, and other programs by bundle
 * name. A name that ends in `.mjs` is split into lazily loaded parts.
 */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { basename, dirname, join, relative } from 'node:path';
import { build, stop } from 'esbuild';
import { packageFolderOf } from './installed.mjs';
import { contentsPath, processesOf, root } from './programs.mjs';

/** Excludes the API, which must be shared by all users. */
const SDK = /^@opentelemetry\/(?:context-async-hooks|core|otlp-transformer|resources|sdk-[\w-]+|semantic-conventions)$/;

/**
 * OpenTelemetry's ES modules tree-shake to a fifth of the CommonJS size. All declare that loading has no side effects.
 */
const tracingPackages = {
  name: 'tracing-packages',
  setup(build) {
    build.onResolve({ filter: SDK }, ({ path, resolveDir }) => {
      const folder = nearestOf(path, resolveDir);
      const { module } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
      return module === undefined ? undefined : { path: join(folder, module), sideEffects: false };
    });
  },
};

function nearestOf(name, from) {
  for (let at = from; ; at = dirname(at)) {
    const folder = join(at, 'node_modules', name);
    if (existsSync(folder)) return folder;
    if (at === dirname(at)) throw new Error(`${name} is not installed.`);
  }
}

/** Parts of packages that no program uses. Each replaced file is matched by the end of its path. */
const REPLACED = [
  // Only the HTTP client: 0.3 MB of 1.1, pure ASCII, without `fetch`, form bodies, proxies, mocks and an experimental parser.
  [/[\\/]node_modules[\\/]undici[\\/]index\.js$/, "exports.Client = require('./lib/dispatcher/client.js');"],
  [/[\\/]node_modules[\\/]undici[\\/]lib[\\/]web[\\/]fetch[\\/]body\.js$/, ''],
  // Error messages in English only; the other fifty languages are half of the package.
  [/[\\/]node_modules[\\/]zod[\\/]v4[\\/]locales[\\/]index\.js$/, "export { default as en } from './en.js';"],
];

const slimPackages = {
  name: 'slim-packages',
  setup(build) {
    build.initialOptions.define = { ...build.initialOptions.define, esbuildDetection: 'true' };
    for (const [filter, contents] of REPLACED) build.onLoad({ filter }, () => ({ contents }));
  },
};

const dist = join(root, 'dist');

const common = {
  absWorkingDir: root,
  outdir: dist,
  write: false,
  bundle: true,
  platform: 'node',
  target: 'node24',
  sourcemap: true,
  sourcesContent: false,
  // V8 keeps a running program's text in memory. Without comments it is a third shorter.
  minifyWhitespace: true,
  // Names of authors are beyond ASCII. Images have the packages' licence files.
  legalComments: 'none',
  lineLimit: 160,
  external: ['pg-native', '@aws-sdk/client-s3', '@duckdb/node-api', '@node-rs/argon2', 'lz4-napi', 'playwright-core', 'vite', 'esbuild'],
  plugins: [tracingPackages, slimPackages],
  metafile: true,
  logLevel: 'warning',
};

/** A single character above this doubles V8's memory for a program's text. */
const ASCII_MAX = 127;

/** Globals expected by CommonJS packages. */
const COMMONJS_NAMES =
  "import { createRequire, isBuiltin } from 'node:module'; const require = createRequire(import.meta.url), __dirname = import.meta.dirname;";

async function bundle(entryPoints) {
  const { outputFiles, metafile } = await build({
    ...common,
    format: 'cjs',
    entryPoints,
    outExtension: { '.js': '.cjs' },
    define: { 'import.meta.dirname': '__dirname', 'import.meta.filename': '__filename' },
  });
  for (const { path, contents } of outputFiles) {
    if (path.endsWith('.cjs') && contents.some((byte) => byte > ASCII_MAX)) throw new Error(`${path} has characters beyond ASCII.`);
    writeWhole(path, contents);
  }
  for (const [file, output] of Object.entries(metafile.outputs)) {
    if (output.entryPoint === undefined) continue;
    const { text } = outputFiles.find(({ path }) => relative(root, path) === file);
    writeContents(nameOf(file), output, Object.keys(output.inputs), partsOf(outputFiles, [file]), text);
  }
}

/** Writes the parts before the file that loads them. */
async function bundleInParts(file, out) {
  const { outputFiles, metafile } = await build({
    ...common,
    format: 'esm',
    splitting: true,
    entryPoints: [{ in: file, out }],
    outExtension: { '.js': '.mjs' },
    chunkNames: `${out}/[name]-[hash]`,
    banner: { js: COMMONJS_NAMES },
  });
  const folder = join(dist, out);
  mkdirSync(folder, { recursive: true });
  const isPart = ({ path }) => dirname(path) === folder;
  const parts = outputFiles.filter(isPart);
  for (const { path, contents } of [...parts, ...outputFiles.filter((file) => !isPart(file))]) writeWhole(path, contents);
  const names = new Set(parts.map(({ path }) => basename(path)));
  for (const name of readdirSync(folder)) if (!names.has(name)) rmSync(join(folder, name));
  const main = metafile.outputs[`dist/${out}.mjs`];
  const programs = outputFiles.map(({ path }) => relative(root, path)).filter((path) => path.endsWith('.mjs'));
  const text = outputFiles.map((file) => file.text).join('\n');
  writeContents(out, main, Object.keys(metafile.inputs), partsOf(outputFiles, programs), text);
}

/** Writes `dist/<name>.contents.json`, the input of the release record. */
function writeContents(name, { imports, inputs }, sources, files, text) {
  const used = Object.keys(inputs).filter((file) => inputs[file].bytesInOutput > 0);
  const contents = {
    files,
    packages: sorted(used.flatMap((file) => packageFolderOf(file) ?? [])),
    loads: sorted([
      ...imports.filter(({ external, path }) => external === true && !isBuiltin(path)).map(({ path }) => path),
      ...resolvedIn(text),
    ]),
    built_at_utc: new Date().toISOString(),
    source_digest: digestOf(sources),
  };
  writeWhole(join(root, contentsPath(name)), `${JSON.stringify(contents, null, 1)}\n`);
}

/** From `createRequire(import.meta.filename).resolve(…)`. */
function resolvedIn(text) {
  const names = [...text.matchAll(/\((?:__filename|import\.meta\.filename)\)\.resolve\("([^"]+)"\)/g)].map(([, name]) => name);
  return names.filter((name) => common.external.includes(name));
}

function partsOf(outputFiles, files) {
  const made = new Map(outputFiles.map(({ path, contents }) => [relative(root, path), contents]));
  return files.sort().map((file) => ({ file, sha256: sha256Of(made.get(file)), bytes: made.get(file).length }));
}

function nameOf(file) {
  return basename(file).replace(/\.[cm]js$/, '');
}

const sorted = (names) => [...new Set(names)].sort();

function sha256Of(content) {
  return createHash('sha256').update(content).digest('hex');
}

function digestOf(files) {
  const hash = createHash('sha256');
  for (const file of files.toSorted()) {
    const content = readFileSync(join(root, file));
    hash.update(`${file}\0${content.length}\0`).update(content);
  }
  return hash.digest('hex');
}

/** Replaces a file atomically, so that a running system can start processes from it. */
function writeWhole(path, contents) {
  const partial = `${path}.${process.pid}`;
  writeFileSync(partial, contents);
  renameSync(partial, path);
}

function entryOf(argument) {
  const [name, file] = argument.split('=');
  return file === undefined ? processesOf(name) : [{ in: file, out: name }];
}

try {
  const entries = process.argv.slice(2).flatMap(entryOf);
  if (entries.length === 0) throw new Error('Name at least one program to bundle: a service, or <name>=<file>.');
  mkdirSync(dist, { recursive: true });
  const isInParts = ({ out }) => out.endsWith('.mjs');
  const whole = entries.filter((entry) => !isInParts(entry));
  if (whole.length > 0) await bundle(whole);
  for (const { in: file, out } of entries.filter(isInParts)) await bundleInParts(file, out.slice(0, -'.mjs'.length));
} catch (error) {
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 1;
} finally {
  await stop();
}
