import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { describedRoutes, interfaceParts, fingerprintOf, sha256Of } from './release-parts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime();

const schema = z.strictObject({
  schema: z.literal('market_state_release.v1'),
  built_at_utc: instant,
  /** Later than `built_at_utc` if only documents or sites changed since. */
  recorded_at_utc: instant,
  /** Covers names and contents of the bundled sources. */
  source_digest: sha256,
  /** Checked-out commit; null without version control. */
  source_revision: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  /** Null without a commit. */
  source_modified: z.boolean().nullable(),
  release_fingerprint: sha256,
  /** `file`: path relative to the workspace, for parts read from disk. */
  parts: z.array(
    z.strictObject({ name: z.string().regex(/^[\x21-\x7e]+$/), sha256, file: z.string().optional(), bytes: z.number().int().optional() }),
  ),
});

/** Contents of a release, recorded at build time. */
export type ReleaseRecord = z.output<typeof schema>;

/** Returns null if the file does not exist. @throws Error if it is invalid */
export function readReleaseRecord(file: string): ReleaseRecord | null {
  if (!existsSync(file)) return null;
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

type Part = ReleaseRecord['parts'][number];

type ReleasedFile = Pick<Part, 'name'> & {
  /** Relative to the parent of the record's folder. */
  readonly file: string;
};

type ReleaseFacts = Omit<ReleaseRecord, 'schema' | 'release_fingerprint' | 'parts'>;

/**
 * @param programs hashes from the bundler, so that a program changed afterwards shows
 * @param files hashed now
 */
export function recordRelease(recordFile: string, programs: readonly Part[], files: readonly ReleasedFile[], facts: ReleaseFacts): void {
  const root = dirname(dirname(recordFile));
  const held = [...interfaceParts(describedRoutes())].map(([name, sha256]): Part => ({ name, sha256 }));
  const parts = [...programs, ...files.map(({ name, file }) => filePart(root, name, file)), ...held];
  const { source_digest, source_revision, source_modified, built_at_utc, recorded_at_utc } = facts;
  const record: ReleaseRecord = {
    schema: 'market_state_release.v1',
    ...{ built_at_utc, recorded_at_utc, source_digest, source_revision, source_modified },
    release_fingerprint: fingerprintOf(new Map(parts.map(({ name, sha256 }) => [name, sha256]))),
    parts,
  };
  writeFileSync(recordFile, `${JSON.stringify(record, null, 1)}\n`);
}

function filePart(root: string, name: string, file: string): Part {
  const bytes = readFileSync(join(root, file));
  return { name, sha256: sha256Of(bytes), bytes: bytes.length, file };
}
