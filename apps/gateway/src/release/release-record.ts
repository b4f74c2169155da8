import { existsSync, readFileSync } from 'node:fs';
import { z } from 'zod';

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
