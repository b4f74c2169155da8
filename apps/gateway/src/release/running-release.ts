import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import {
  describedRoutes,
  interfaceParts,
  fingerprintOf,
  type ReleaseParts,
  sha256Of,
  readReleaseRecord,
  type ReleaseRecord,
} from './release-parts';

const CHECK_EVERY_MS = 60_000;

export interface ReleaseFiles {
  /** Its folder lies in the workspace root. */
  readonly recordFile: string;
  readonly programFile: string;
}

export interface DifferingPart {
  readonly name: string;
  readonly expected: string | null;
  /** Null if missing. */
  readonly found: string | null;
}

export interface ReleaseCheck {
  readonly checkedMs: number;
  /** Null if the program runs from source. */
  readonly record: ReleaseRecord | null;
  readonly parts: ReleaseParts;
  readonly fingerprint: string;
  /** Sorted by name; empty without a record. */
  readonly differing: readonly DifferingPart[];
  readonly served: readonly string[];
  readonly described: readonly string[];
}

export interface RunningRelease {
  check(): Promise<ReleaseCheck>;
}

export interface RunningReleaseDeps {
  /** Absent if there is no record. */
  readonly files?: ReleaseFiles;
  /** SHA-256 by relative path, as loaded. Absent if no portal is served. */
  readonly portal?: ReadonlyMap<string, string>;
  /** SHA-256 of the manifest as loaded. Absent if no documentation is served. */
  readonly docs?: string;
  readonly served: () => readonly string[];
  readonly now: () => number;
}

const OWN_PROGRAM = 'program/gateway';

/** Changes whenever the file is written. */
interface FileStamp {
  readonly ino: bigint;
  readonly size: bigint;
  readonly mtimeNs: bigint;
  readonly ctimeNs: bigint;
}

interface HashedFile {
  readonly stamp: FileStamp;
  readonly hash: string;
}

function isSame(stamp: FileStamp, other: FileStamp): boolean {
  return stamp.ino === other.ino && stamp.size === other.size && stamp.mtimeNs === other.mtimeNs && stamp.ctimeNs === other.ctimeNs;
}

/** Reuses the hash of an unchanged file; null if it does not exist. */
async function hashFile(file: string, before: HashedFile | undefined): Promise<HashedFile | null> {
  try {
    const stamp = await stat(file, { bigint: true });
    if (before !== undefined && isSame(before.stamp, stamp)) return before;
    const hash = createHash('sha256');
    await pipeline(createReadStream(file), hash);
    return { stamp, hash: hash.digest('hex') };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** Hashes of the program and the served sites at process start. */
function readAtStart(ownProgram: string | null, { portal = new Map(), docs }: Pick<RunningReleaseDeps, 'portal' | 'docs'>): ReleaseParts {
  const program: [string, string][] = ownProgram === null ? [] : [[OWN_PROGRAM, ownProgram]];
  const manifest: [string, string][] = docs === undefined ? [] : [['page/docs.json', docs]];
  return new Map([...program, ...manifest, ...[...portal].map(([file, hash]): [string, string] => [`portal/${file}`, hash])]);
}

function createFileHashes(root: string, record: ReleaseRecord): () => Promise<[string, string][]> {
  const hashed = new Map<string, HashedFile>();
  return async () => {
    for (const { name, file } of record.parts) {
      if (file === undefined) continue;
      const found = await hashFile(join(root, file), hashed.get(name));
      if (found === null) hashed.delete(name);
      else hashed.set(name, found);
    }
    return [...hashed].map(([name, { hash }]) => [name, hash]);
  };
}

function differences(record: ReleaseRecord, parts: ReleaseParts): DifferingPart[] {
  const expected = new Map(record.parts.map(({ name, sha256 }) => [name, sha256]));
  return [...new Set([...expected.keys(), ...parts.keys()])]
    .sort()
    .map((name) => ({ name, expected: expected.get(name) ?? null, found: parts.get(name) ?? null }))
    .filter((part) => part.expected !== part.found);
}

/**
 * Compares program and sites as loaded at start, the in-memory interface and all other released files on disk with the
 * record. The record is read once, so a build deployed under a running process shows.
 */
export function createRunningRelease({ files, portal, docs, served, now }: RunningReleaseDeps): RunningRelease {
  const record = files === undefined ? null : readReleaseRecord(files.recordFile);
  const root = files === undefined ? '' : dirname(dirname(files.recordFile));
  const ownProgram = files === undefined || record === null ? null : sha256Of(readFileSync(files.programFile));
  const atStart = readAtStart(ownProgram, { portal, docs });
  const recorded = new Map(record?.parts.map(({ name, sha256 }) => [name, sha256]));
  const filesNow = record === null ? null : createFileHashes(root, record);
  const described = describedRoutes();
  let onDisk: { readonly atMs: number; readonly parts: Promise<[string, string][]> } | null = null;

  function readDisk(): { readonly atMs: number; readonly parts: Promise<[string, string][]> } {
    if (onDisk !== null && now() - onDisk.atMs < CHECK_EVERY_MS) return onDisk;
    const next = { atMs: now(), parts: filesNow?.() ?? Promise.resolve([]) };
    onDisk = next;
    next.parts.catch(() => {
      if (onDisk === next) onDisk = null;
    });
    return next;
  }

  /** Parts loaded as recorded are reported as on disk now, because the next start would load those. */
  function withStart(parts: [string, string][]): [string, string][] {
    return [...parts, ...[...atStart].filter(([name, hash]) => recorded.get(name) !== hash)];
  }

  return {
    async check() {
      const { atMs, parts: diskParts } = readDisk();
      const routes = served();
      const parts: ReleaseParts = new Map([...withStart(await diskParts), ...interfaceParts(routes)]);
      return {
        checkedMs: atMs,
        record,
        parts,
        fingerprint: fingerprintOf(parts),
        differing: record === null ? [] : differences(record, parts),
        served: routes,
        described,
      };
    },
  };
}
