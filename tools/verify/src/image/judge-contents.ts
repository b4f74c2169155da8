import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { APP_FOLDER, argumentsOf, NODE, USER_ID } from '@market-state/deploy';
import { services } from '@market-state/launcher';
import type { ImageConfig, UnpackedImage } from './bubble';

/** Allowed image variables: those of Debian's bases, then ours. */
const VARIABLES = ['PATH', 'SSL_CERT_FILE', 'MARKET_STATE_ROOT', 'NODE_ENV'];
const EVERYWHERE = ['LICENSE', 'NOTICE', 'sbom.cdx.json', 'dist/release.json'];

export function judgeContents(app: string, { root, config }: UnpackedImage, loads: readonly string[]): readonly string[] {
  const own = join(root, APP_FOLDER);
  const programs = app === 'migrate' ? [app] : Object.keys(services[app]?.processes ?? {});
  const found = readdirSync(join(own, 'dist')).filter((name) => name.endsWith('.cjs'));
  const missing = EVERYWHERE.filter((file) => !existsSync(join(own, file)));
  if (missing.length > 0) return [`${app} lacks ${missing.join(', ')}.`];
  return [
    ...configFaults(app, config),
    ...(found.sort().join() ===
    programs
      .map((name) => `${name}.cjs`)
      .sort()
      .join()
      ? []
      : [`${app} has the programs ${found.join(', ')}.`]),
    ...recordFaults(app, own),
    ...listFaults(app, own, loads),
  ];
}

function configFaults(app: string, { User, WorkingDir, Entrypoint, Cmd, Env }: ImageConfig): string[] {
  const wanted = { User: `${USER_ID}:${USER_ID}`, WorkingDir: APP_FOLDER, Entrypoint: [NODE], Cmd: argumentsOf(app) };
  const said = { User, WorkingDir, Entrypoint, Cmd };
  const strange = Env.map((line) => line.slice(0, line.indexOf('='))).filter((name) => !VARIABLES.includes(name));
  return [
    ...(JSON.stringify(said) === JSON.stringify(wanted) ? [] : [`${app} runs as ${JSON.stringify(said)}.`]),
    ...(strange.length === 0 ? [] : [`${app} sets ${strange.join(', ')}.`]),
  ];
}

interface Record {
  readonly parts: readonly { readonly name: string; readonly file?: string; readonly sha256: string }[];
}

/** The record must list every program, and each listed file must match it. */
function recordFaults(app: string, own: string): string[] {
  const { parts } = JSON.parse(readFileSync(join(own, 'dist/release.json'), 'utf8')) as Record;
  const files = parts.flatMap(({ file, sha256 }) => (file === undefined ? [] : [{ file, sha256 }]));
  const differing = files.filter(({ file, sha256 }) => !existsSync(join(own, file)) || hashOf(join(own, file)) !== sha256);
  const recorded = new Set(files.map(({ file }) => file));
  const left = readdirSync(join(own, 'dist')).filter((name) => name.endsWith('.cjs') && !recorded.has(`dist/${name}`));
  return [
    ...differing.map(({ file }) => `${app}: ${file} does not match its record.`),
    ...left.map((name) => `${app}: its record lacks ${name}.`),
  ];
}

function hashOf(file: string): string {
  return createHash('sha256').update(readFileSync(file)).digest('hex');
}

interface ComponentList {
  readonly bomFormat: string;
  readonly components: readonly { readonly name: string; readonly version: string; readonly hashes?: readonly object[] }[];
}

/** The list must include what the app loads, and every package in the image with version and hash. */
function listFaults(app: string, own: string, loads: readonly string[]): string[] {
  const { bomFormat, components } = JSON.parse(readFileSync(join(own, 'sbom.cdx.json'), 'utf8')) as ComponentList;
  const listed = new Set(components.filter(({ hashes = [] }) => hashes.length > 0).map(({ name }) => name));
  const packages = existsSync(join(own, 'node_modules')) ? packagesIn(join(own, 'node_modules')) : [];
  const missing = packages.filter((name) => !listed.has(name));
  const absent = loads.filter((name) => !packages.some((one) => name === one || name.startsWith(`${one}/`)));
  return [
    ...(bomFormat === 'CycloneDX' ? [] : [`${app}: its package list has the format ${bomFormat}.`]),
    ...missing.map((name) => `${app}: its package list lacks ${name}.`),
    ...absent.map((name) => `${app} has no package ${name}.`),
  ];
}

function packagesIn(folder: string): string[] {
  return readdirSync(folder).flatMap((name) =>
    name.startsWith('@') ? readdirSync(join(folder, name)).map((one) => `${name}/${one}`) : [name],
  );
}
