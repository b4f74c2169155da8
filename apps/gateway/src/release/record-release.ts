import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describedRoutes, interfaceParts } from './interface-parts';
import { fingerprintOf, sha256Of } from './release-parts';
import type { ReleaseRecord } from './release-record';

/** A program as it was made: never as it is found, so that one changed later differs from the record. */
export interface BuiltProgram {
  readonly name: string;
  /** Path below the workspace. */
  readonly file: string;
  readonly bytes: Uint8Array;
}

export type BuildFacts = Pick<ReleaseRecord, 'source_digest' | 'source_revision' | 'source_modified'>;

type Part = ReleaseRecord['parts'][number];

export interface ReleaseSources {
  readonly root: string;
  /** Paths below the workspace. */
  readonly documents: readonly string[];
  /** Files of the portal as they were made, and the manifest of the documentation, which names its files; none before they are built. */
  readonly sites: readonly Part[];
  readonly facts: BuildFacts;
  readonly nowMs: number;
}

const PROGRAM = 'program/';

function programPart({ name, file, bytes }: BuiltProgram): Part {
  return { name: `${PROGRAM}${name}`, sha256: sha256Of(bytes), bytes: bytes.length, file };
}

function documentPart(root: string, file: string): Part {
  const bytes = readFileSync(join(root, file));
  return { name: `document/${file}`, sha256: sha256Of(bytes), bytes: bytes.length, file };
}

function recordOf(programs: readonly Part[], builtAtUtc: string, { root, documents, sites, facts, nowMs }: ReleaseSources): ReleaseRecord {
  const held = [...interfaceParts(describedRoutes())].map(([name, sha256]): Part => ({ name, sha256 }));
  const parts = [...programs, ...documents.map((file) => documentPart(root, file)), ...sites, ...held];
  const fingerprint = fingerprintOf(new Map(parts.map(({ name, sha256 }) => [name, sha256])));
  return {
    schema: 'market_state_release.v1',
    built_at_utc: builtAtUtc,
    recorded_at_utc: new Date(nowMs).toISOString(),
    ...facts,
    release_fingerprint: fingerprint,
    parts,
  };
}

/** Records programs that were just made, with what is released beside them. */
export function recordBuild(file: string, programs: readonly BuiltProgram[], sources: ReleaseSources): void {
  writeFileSync(file, `${JSON.stringify(recordOf(programs.map(programPart), new Date(sources.nowMs).toISOString(), sources), null, 1)}\n`);
}

/** Records changed documents and sites beside the programs of an earlier record, which stay as they were recorded. */
export function recordBeside(file: string, earlier: ReleaseRecord, sources: ReleaseSources): void {
  const programs = earlier.parts.filter(({ name }) => name.startsWith(PROGRAM));
  writeFileSync(file, `${JSON.stringify(recordOf(programs, earlier.built_at_utc, sources), null, 1)}\n`);
}
