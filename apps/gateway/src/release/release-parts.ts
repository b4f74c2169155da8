import { createHash } from 'node:crypto';
import { loadPolicy } from '@market-state/labeler';
import type { Express } from 'express';
import { readFileSync, writeFileSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { openApiDocument } from '../serving/openapi/document';
import { operations } from '../serving/openapi/operations';

/** Part name → SHA-256 in lower-case hex. */
export type ReleaseParts = ReadonlyMap<string, string>;

export function sha256Of(bytes: Uint8Array | string): string {
  return createHash('sha256').update(bytes).digest('hex');
}

/** SHA-256 over lines as of `sha256sum`, sorted by name. Names are ASCII, so every sort order agrees. */
export function fingerprintOf(parts: ReleaseParts): string {
  const names = [...parts.keys()].sort();
  return sha256Of(names.map((name) => `${parts.get(name) ?? ''}  ${name}\n`).join(''));
}

export function partsUnder(parts: ReleaseParts, prefix: string): ReleaseParts {
  return new Map([...parts].filter(([name]) => name.startsWith(prefix)));
}

const OPENAPI_BYTES = Buffer.from(JSON.stringify(openApiDocument));

function routeLine(method: string, path: string): string {
  return `${method.toUpperCase()} ${path}`;
}

export function describedRoutes(): string[] {
  return operations.map(({ method, path }) => routeLine(method, path)).sort();
}

/** Constant while a gateway runs. */
function heldParts(): ReleaseParts {
  held ??= new Map([
    ['interface/openapi.json', sha256Of(OPENAPI_BYTES)],
    ['policy', loadPolicy().digest],
  ]);
  return held;
}

let held: ReleaseParts | undefined;

/** @param routes served routes, or the described routes when recording a release */
export function interfaceParts(routes: readonly string[]): ReleaseParts {
  return new Map([
    ...heldParts(),
    [
      'interface/routes',
      sha256Of(
        [...routes]
          .sort()
          .map((line) => `${line}\n`)
          .join(''),
      ),
    ],
  ]);
}

export function pageVersion(parts: ReleaseParts): string {
  return `documentation-${fingerprintOf(partsUnder(parts, 'page/')).slice(0, 12)}`;
}

interface Layer {
  readonly route?: { readonly path: unknown; readonly methods: Readonly<Record<string, boolean>> };
  readonly handle?: { readonly stack?: readonly Layer[] };
}

function linesOf(layers: readonly Layer[], mounted: string): string[] {
  return layers.flatMap(({ route, handle }) => {
    if (route === undefined) return handle?.stack === undefined ? [] : linesOf(handle.stack, '(mounted)');
    const path = mounted + String(route.path).replace(/:(\w+)/g, '{$1}');
    const methods = Object.keys(route.methods).filter((method) => method !== '_all');
    return (methods.length === 0 ? ['any'] : methods).map((method) => routeLine(method, path));
  });
}

/** Sorted and unique. Mounted routers are marked, because Express does not expose their prefix. */
export function servedRoutes(app: Express): string[] {
  const { stack } = app.router as unknown as { readonly stack: readonly Layer[] };
  return [...new Set(linesOf(stack, ''))].sort();
}

export function pathsOf(routes: readonly string[]): Set<string> {
  return new Set(routes.map((line) => line.slice(line.indexOf(' ') + 1)));
}

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
