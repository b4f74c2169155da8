import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const LIST_MS = 60_000;
const LIST_BYTES_MAX = 64 * 1_024 * 1_024;

/**
 * CycloneDX list of an image's third-party packages, from the lock file.
 * @param folders of the packages, relative to the workspace root
 * @param seconds time of the sources, since 1970
 */
export function componentsOf(root, { name, version }, folders, seconds) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--package-lock-only', '--offline'];
  const { status, stdout, stderr, error } = spawnSync('npm', args, {
    cwd: root,
    encoding: 'utf8',
    timeout: LIST_MS,
    maxBuffer: LIST_BYTES_MAX,
  });
  if (status !== 0) throw error ?? new Error(`npm could not list the packages of the lock file.\n${stderr.trim()}`);
  const all = JSON.parse(stdout);
  const { packages } = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'));
  const byRef = new Map(all.components.map((component) => [component['bom-ref'], component]));
  const listed = new Set(folders.map((folder) => refOf(folder, packages[folder])));
  const components = [...listed].sort().map((ref) => byRef.get(ref) ?? fail(ref));
  const dependencies = all.dependencies
    .filter(({ ref }) => listed.has(ref))
    .map(({ ref, dependsOn = [] }) => ({ ref, dependsOn: dependsOn.filter((one) => listed.has(one)) }));
  const own = { type: 'container', 'bom-ref': `${name}@${version}`, name, version, licenses: [{ license: { id: 'Apache-2.0' } }] };
  const { $schema, bomFormat, specVersion } = all;
  const metadata = { timestamp: new Date(seconds * 1_000).toISOString(), component: own };
  const list = { $schema, bomFormat, specVersion, version: 1, metadata, components, dependencies };
  return { ...list, serialNumber: serialOf(JSON.stringify(list)) };
}

function refOf(folder, entry) {
  const name = entry?.name ?? folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  return `${name}@${entry?.version}`;
}

function fail(ref) {
  throw new Error(`The lock file has no package ${ref}.`);
}

/** Reproducible: a UUID of version 8. */
function serialOf(text) {
  const hex = createHash('sha256').update(text).digest('hex');
  const parts = [hex.slice(0, 8), hex.slice(8, 12), `8${hex.slice(13, 16)}`, `8${hex.slice(17, 20)}`, hex.slice(20, 32)];
  return `urn:uuid:${parts.join('-')}`;
}
