import { existsSync, readFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { execFileSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { createHash } from 'node:crypto';
import { appFolderOf, databaseServices } from '@market-state/launcher';
import { z } from 'zod';

export interface MigrationScript {
  readonly name: string;
  readonly sql: string;
}

/** Last migration, and a SHA-256 (hex) over all names and scripts. @throws Error without migrations */
export function recordOfMigrations(migrations: readonly MigrationScript[]): { readonly last: string; readonly sha256: string } {
  const last = migrations.at(-1)?.name;
  if (last === undefined) throw new Error('A service with a database has no migration.');
  const hash = createHash('sha256');
  for (const { name, sql } of migrations) hash.update(JSON.stringify([name, sql]));
  return { last, sha256: hash.digest('hex') };
}

const GIT_MS_MAX = 60_000;
const BUFFER_BYTES_MAX = 256 * 1024 * 1024;

/**
 * @param revision any git name of the commit
 * @param to folder of the records; default: the workspace
 * @throws Error if its version is recorded for another commit, or git or buf fails
 */
export function recordRelease(root: string, revision: string, to = root): Release {
  const git = (...args: readonly string[]): Buffer =>
    execFileSync('git', ['-C', root, ...args], { timeout: GIT_MS_MAX, maxBuffer: BUFFER_BYTES_MAX, stdio: ['ignore', 'pipe', 'pipe'] });
  const commit = git('rev-parse', '--verify', `${revision}^{commit}`).toString().trim();
  const { version } = JSON.parse(git('show', `${commit}:package.json`).toString()) as { version: string };
  const others = readReleases(to).filter((each) => each.version !== version);
  const known = readReleases(to).find((each) => each.version === version);
  if (known !== undefined && known.commit !== commit)
    throw new Error(`${version} is already recorded as ${known.commit}: set another version in package.json for a new release.`);

  const migrationsOf = (service: (typeof databaseServices)[number]): MigrationScript[] => {
    const folder = `${appFolderOf(service)}/prisma/migrations`;
    const names = git('ls-tree', '-d', '--name-only', `${commit}:${folder}`).toString().trim().split('\n');
    return names.sort().map((name) => ({ name, sql: git('show', `${commit}:${folder}/${name}/migration.sql`).toString() }));
  };
  const migrations = Object.fromEntries(databaseServices.map((service) => [service, recordOfMigrations(migrationsOf(service))]));

  mkdirSync(join(to, RELEASES_FOLDER), { recursive: true });
  const folder = mkdtempSync(join(tmpdir(), 'market-state-release-'));
  try {
    execFileSync('tar', ['-x', '-C', folder], { input: git('archive', commit, 'proto'), timeout: GIT_MS_MAX });
    const args = ['build', join(folder, 'proto'), '--exclude-source-info', '-o', join(to, imageOf({ version }))];
    execFileSync(join(root, 'node_modules', '.bin', 'buf'), args, { timeout: GIT_MS_MAX, stdio: ['ignore', 'ignore', 'pipe'] });
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  const recorded = { version, commit, migrations };
  writeFileSync(join(to, RELEASES_FILE), `${JSON.stringify([...others, recorded], null, 2)}\n`);
  return recorded;
}

const RELEASES_FOLDER = 'proto/releases';

const release = z.strictObject({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  migrations: z.record(z.string(), z.strictObject({ last: z.string().min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

type Release = z.infer<typeof release>;

export const RELEASES_FILE = `${RELEASES_FOLDER}/releases.json`;

export function imageOf({ version }: Pick<Release, 'version'>): string {
  return `${RELEASES_FOLDER}/${version}.binpb`;
}

/** Every release, oldest first. @throws Error if the list is invalid */
export function readReleases(root: string): readonly Release[] {
  const file = join(root, RELEASES_FILE);
  return existsSync(file) ? z.array(release).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** The newest release. @throws Error if none is recorded */
export function lastRelease(root: string): Release {
  const last = readReleases(root).at(-1);
  if (last === undefined) throw new Error(`${RELEASES_FILE} lists no release; record one with npm run release.`);
  return last;
}
