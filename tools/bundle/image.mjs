import { chmodSync, copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { componentsOf } from './components.mjs';
import { packageNameOf, withDependencies } from './installed.mjs';
import { programPath, programsOfImage } from './programs.mjs';
import { contentsOf, portalPackages, recordRelease } from './release.mjs';

/** Package files that Node never reads. */
const UNREAD = /\.(?:d\.[cm]?ts|map|md|markdown)$/;
const LICENCE = /^(?:licen[cs]e|notice|copying)(?:[-.]|$)/i;

/**
 * Creates an app's image contents in a new folder, reproducibly. Programs and portal must already be built.
 * @param app a service, or `migrate`
 * @param seconds time of the sources since 1970, for every file and record
 * @throws Error for a loaded package missing from `deploy/images/contents.json`
 */
export function makeImage(root, app, folder, seconds) {
  const programs = programsOfImage(app);
  const { loads = [], files = [] } = readJson(root, 'deploy/images/contents.json')[app] ?? {};
  const made = programs.map(contentsOf);
  refuseUnnamed(
    root,
    app,
    made.flatMap((program) => program.loads),
    loads,
  );
  mkdirSync(folder);

  const whole = withDependencies(root, loads.filter(isPackage));
  const single = loads.filter((name) => !isPackage(name));
  const ofSingle = single.map((name) => `node_modules/${packageNameOf(name)}`);
  const bundled = [...made.flatMap(({ packages }) => packages), ...(files.includes('dist/portal') ? portalPackages() : [])];
  const copy = (file, to = file) => copyTo(join(root, file), join(folder, to));
  for (const file of ['LICENSE', 'NOTICE', ...programs.map(programPath), ...files.flatMap((pattern) => filesAt(root, pattern))]) copy(file);
  for (const at of whole) for (const file of filesAt(root, at)) if (!UNREAD.test(file) || isLicence(file)) copy(file);
  for (const name of single) copy(`node_modules/${name}`);
  for (const at of ofSingle) copy(`${at}/package.json`);
  for (const at of [...ofSingle, ...bundled])
    for (const name of readdirSync(join(root, at)).filter((one) => LICENCE.test(one)))
      copy(`${at}/${name}`, `licences/${at.slice('node_modules/'.length)}/${name}`);

  const { version } = readJson(root, 'package.json');
  const packages = [...new Set([...bundled, ...whole, ...ofSingle])];
  writeJson(join(folder, 'sbom.cdx.json'), componentsOf(root, { name: `market-state/${app}`, version }, packages, seconds));
  const builtAt = new Date(seconds * 1_000).toISOString();
  recordRelease(folder, programs, { built_at_utc: builtAt, recorded_at_utc: builtAt });
  settle(folder, seconds);
}

function readJson(root, file) {
  return JSON.parse(readFileSync(join(root, file), 'utf8'));
}

function writeJson(path, value) {
  writeFileSync(path, `${JSON.stringify(value, null, 1)}\n`);
}

function isPackage(name) {
  return packageNameOf(name) === name;
}

function isLicence(file) {
  return LICENCE.test(file.slice(file.lastIndexOf('/') + 1));
}

/** Programs run without packages that are not installed. */
function refuseUnnamed(root, app, found, named) {
  const missing = found.filter((name) => !named.includes(name) && existsSync(join(root, 'node_modules', packageNameOf(name))));
  if (missing.length > 0)
    throw new Error(`deploy/images/contents.json does not list ${[...new Set(missing)].join(', ')}, loaded by ${app}.`);
}

/** Excludes hidden files and nested packages; `*` matches any folder that has the rest. */
function filesAt(root, pattern) {
  const [before, after] = pattern.split('/*/');
  const paths =
    after === undefined
      ? [pattern]
      : readdirSync(join(root, before))
          .map((name) => `${before}/${name}/${after}`)
          .filter((path) => existsSync(join(root, path)));
  const files = paths.flatMap((path) => (statSync(join(root, path)).isDirectory() ? below(root, path) : [path]));
  if (files.length === 0) throw new Error(`No file matches ${pattern}.`);
  return files.sort();
}

function below(root, folder) {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (entry.name.startsWith('.') || entry.name === 'node_modules') return [];
    const path = `${folder}/${entry.name}`;
    return entry.isDirectory() ? below(root, path) : [path];
  });
}

function copyTo(from, to) {
  mkdirSync(dirname(to), { recursive: true });
  copyFileSync(from, to);
}

/** Reproducible: readable by all, writable by none. */
function settle(path, seconds) {
  const isFolder = statSync(path).isDirectory();
  if (isFolder) for (const name of readdirSync(path)) settle(join(path, name), seconds);
  chmodSync(path, isFolder ? 0o755 : 0o644);
  utimesSync(path, seconds, seconds);
}
