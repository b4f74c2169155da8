import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describedRoutes, interfaceParts } from './interface-parts';
import { fingerprintOf, sha256Of } from './release-parts';
import type { ReleaseRecord } from './release-record';

type Part = ReleaseRecord['parts'][number];

/** A document or a file of a site. */
export type ReleasedFile = Pick<Part, 'name'> & {
  /** Path below the folder that the record's folder is in. */
  readonly file: string;
};

export type ReleaseFacts = Omit<ReleaseRecord, 'schema' | 'release_fingerprint' | 'parts'>;

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
