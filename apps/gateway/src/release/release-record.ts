import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { describedRoutes, interfaceParts, fingerprintOf, sha256Of } from './release-parts';

const sha256 = z.string().regex(/^[0-9a-f]{64}$/);
const instant = z.iso.datetime();

const schema = z.strictObject({
  schema: z.literal('market_state_release.v1'),
  /** When the programs were bundled. */
  built_at_utc: instant,
  /** When this record was written: later than the bundling if only documents or sites changed since. */
  recorded_at_utc: instant,
  /** SHA-256 over names and contents of the sources that the programs were bundled from. */
  source_digest: sha256,
  /** The commit that was checked out; null where the sources are not under version control. */
  source_revision: z
    .string()
    .regex(/^[0-9a-f]{40,64}$/)
    .nullable(),
  /** Whether files differed from that commit; null without one. */
  source_modified: z.boolean().nullable(),
  release_fingerprint: sha256,
  /** Every part; `file` is its path below the workspace, for a part that is read from there. */
  parts: z.array(
    z.strictObject({ name: z.string().regex(/^[\x21-\x7e]+$/), sha256, file: z.string().optional(), bytes: z.number().int().optional() }),
  ),
});

/** What a release is made of, written down when it was built. */
export type ReleaseRecord = z.output<typeof schema>;

/** The record in a file; null where there is no file. @throws Error when the file is no record */
export function readReleaseRecord(file: string): ReleaseRecord | null {
  if (!existsSync(file)) return null;
  return schema.parse(JSON.parse(readFileSync(file, 'utf8')));
}

type Part = ReleaseRecord['parts'][number];

/** A document or a file of a site. */
type ReleasedFile = Pick<Part, 'name'> & {
  /** Path below the folder that the record's folder is in. */
  readonly file: string;
};

type ReleaseFacts = Omit<ReleaseRecord, 'schema' | 'release_fingerprint' | 'parts'>;

/**
 * Records a release, with the document, routes and policy of this gateway.
 * @param programs as the bundler made them, so that a program changed after it differs from the record
 * @param files recorded as they are now
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
