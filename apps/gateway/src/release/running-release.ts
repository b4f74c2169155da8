import { createHash } from 'node:crypto';
import { createReadStream, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { describedRoutes, interfaceParts } from './interface-parts';
import { fingerprintOf, type ReleaseParts, sha256Of } from './release-parts';
import { readReleaseRecord, type ReleaseRecord } from './release-record';

/** Files are hashed again no sooner than this, milliseconds. */
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
  /** Every route that the router serves now. */
  readonly served: () => readonly string[];
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

const OWN_PROGRAM = 'program/gateway';

async function hashOfFile(file: string): Promise<string | null> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(file), hash);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
  return hash.digest('hex');
}

/** The recorded files as they are on disk; a missing one is left out. */
async function filesNow(root: string, record: ReleaseRecord): Promise<[string, string][]> {
  const found: [string, string][] = [];
  for (const { name, file } of record.parts) {
    if (file === undefined) continue;
    const hash = await hashOfFile(join(root, file));
    if (hash !== null) found.push([name, hash]);
  }
  return found;
}

function differences(record: ReleaseRecord, parts: ReleaseParts): DifferingPart[] {
  const expected = new Map(record.parts.map(({ name, sha256 }) => [name, sha256]));
  return [...new Set([...expected.keys(), ...parts.keys()])]
    .sort()
    .map((name) => ({ name, expected: expected.get(name) ?? null, found: parts.get(name) ?? null }))
    .filter((part) => part.expected !== part.found);
}

/**
 * What this process runs: its own program as it was when the process started, the interface it holds in memory, and every other released file as it is on disk, hashed again when asked
 * a minute after the last time. The record is read once, so that another build put in place under a running process shows as a difference.
 */
export function createRunningRelease({ files, served, now }: RunningReleaseDeps): RunningRelease {
  const record = files === undefined ? null : readReleaseRecord(files.recordFile);
  const root = files === undefined ? '' : dirname(dirname(files.recordFile));
  const ownProgram = files === undefined || record === null ? null : sha256Of(readFileSync(files.programFile));
  const described = describedRoutes();
  let onDisk: { readonly atMs: number; readonly parts: Promise<[string, string][]> } | null = null;

  function readDisk(): { readonly atMs: number; readonly parts: Promise<[string, string][]> } {
    if (onDisk !== null && now() - onDisk.atMs < CHECK_EVERY_MS) return onDisk;
    const next = { atMs: now(), parts: record === null ? Promise.resolve([]) : filesNow(root, record) };
    onDisk = next;
    next.parts.catch(() => {
      if (onDisk === next) onDisk = null;
    });
    return next;
  }

  /** The program on disk counts too: were it another one, the next start would run it. */
  function withOwnProgram(parts: [string, string][]): [string, string][] {
    const recorded = record?.parts.find(({ name }) => name === OWN_PROGRAM)?.sha256;
    return ownProgram === null || ownProgram === recorded ? parts : [...parts.filter(([name]) => name !== OWN_PROGRAM), [OWN_PROGRAM, ownProgram]];
  }

  return {
    async check() {
      const { atMs, parts: diskParts } = readDisk();
      const routes = served();
      const parts: ReleaseParts = new Map([...withOwnProgram(await diskParts), ...interfaceParts(routes)]);
      return { checkedMs: atMs, record, parts, fingerprint: fingerprintOf(parts), differing: record === null ? [] : differences(record, parts), served: routes, described };
    },
  };
}
