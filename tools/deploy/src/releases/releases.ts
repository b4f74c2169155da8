import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

/** Where the records of releases are, from the workspace's top. */
export const RELEASES_FOLDER = 'proto/releases';

const release = z.strictObject({
  version: z.string().regex(/^\d+\.\d+\.\d+$/),
  commit: z.string().regex(/^[0-9a-f]{40}$/),
  /** Of each service with a database: how far its migrations go, and the SHA-256 over all of them. */
  migrations: z.record(z.string(), z.strictObject({ last: z.string().min(1), sha256: z.string().regex(/^[0-9a-f]{64}$/) })),
});

/** What is known of a release, beside the image of its contracts. */
export type Release = z.infer<typeof release>;

/** The list of releases, from the workspace's top. */
export const RELEASES_FILE = `${RELEASES_FOLDER}/releases.json`;

/** The image of a release's contracts, from the workspace's top. */
export function imageOf({ version }: Pick<Release, 'version'>): string {
  return `${RELEASES_FOLDER}/${version}.binpb`;
}

/** Every release, the oldest first; none before the first is recorded. @throws Error when the list is not one of releases */
export function readReleases(root: string): readonly Release[] {
  const file = join(root, RELEASES_FILE);
  return existsSync(file) ? z.array(release).parse(JSON.parse(readFileSync(file, 'utf8'))) : [];
}

/** The newest release. @throws Error before the first is recorded */
export function lastRelease(root: string): Release {
  const last = readReleases(root).at(-1);
  if (last === undefined) throw new Error(`${RELEASES_FILE} lists no release; npm run release makes the record of one.`);
  return last;
}
