import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describedRoutes, interfaceParts, fingerprintOf, type ReleaseParts, sha256Of } from './release-parts';
import { readReleaseRecord, type ReleaseRecord } from './release-record';

/** Files are looked at again no sooner than this, milliseconds. */
const CHECK_EVERY_MS = 60_000;

/** Where a running gateway finds what it was built as. */
export interface ReleaseFiles {
  /** The record; its folder stands in the workspace's top folder. */
  readonly recordFile: string;
  /** The program that runs. */
  readonly programFile: string;
}

/** A part that is not what was recorded. */
export interface DifferingPart {
  readonly name: string;
  readonly expected: string | null;
  /** Null where it is not there. */
  readonly found: string | null;
}

/** What runs, held against what was built. */
export interface ReleaseCheck {
  readonly checkedMs: number;
  /** Null where there is no record: the program runs from its sources. */
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
  /** Absent: there is no record. */
  readonly files?: ReleaseFiles;
  /** SHA-256 of the files of the portal that it serves, as it read them, by path below their folder. Absent: it serves none. */
  readonly portal?: ReadonlyMap<string, string>;
  /** SHA-256 of the manifest of the documentation that it serves, as it read it. Absent: it serves none. */
  readonly docs?: string;
  /** Every route that the router serves now. */
  readonly served: () => readonly string[];
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

const OWN_PROGRAM = 'program/gateway';

/** A file as its file system tells it; nobody writes to a file without a change of this. */
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

/** The file hashed, or as it was hashed where it has not changed since; null where there is none. */
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

/** What was read when the process started: its own program, and the sites that it serves. */
function readAtStart(ownProgram: string | null, { portal = new Map(), docs }: Pick<RunningReleaseDeps, 'portal' | 'docs'>): ReleaseParts {
  const program: [string, string][] = ownProgram === null ? [] : [[OWN_PROGRAM, ownProgram]];
  const manifest: [string, string][] = docs === undefined ? [] : [['page/docs.json', docs]];
  return new Map([...program, ...manifest, ...[...portal].map(([file, hash]): [string, string] => [`portal/${file}`, hash])]);
}

/** Hashes the recorded files as they are on disk, a changed one again; a missing one is left out. */
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
 * What this process runs: its own program and its sites as they were when the process started, the interface it holds in memory, and
 * every other released file as it is on disk, looked at again when asked a minute after the last time and hashed again where it has
 * changed. The record is read once, so that another build put in place under a running process shows as a difference.
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

  /** What was read as recorded counts as it is on disk now: were it another one there, the next start would run that. */
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
