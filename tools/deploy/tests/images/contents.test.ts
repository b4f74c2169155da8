import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type * as Argon2 from '@node-rs/argon2';
import { services, workspaceRoot } from '@market-state/launcher';

const root = workspaceRoot();
const SECONDS = 1_700_000_000;
const read = (...path: readonly string[]): string => readFileSync(join(root, ...path), 'utf8');

interface Named {
  readonly loads?: readonly string[];
  readonly files?: readonly string[];
}

const named = JSON.parse(read('deploy/images/contents.json')) as Readonly<Record<string, Named>>;
let folder: string;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'image-'));
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Exports of `tools/bundle/image.mjs`. */
interface Images {
  makeImage(root: string, app: string, folder: string, seconds: number): void;
}

const inBundle = (name: string): string => join(root, 'tools/bundle', name);

/** Runs the first stage's program. @returns its error */
function failureOf(app: string, into: string, epoch: string): string {
  const args = [inBundle('image-main.mjs'), app, into];
  const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8', env: { SOURCE_DATE_EPOCH: epoch } });
  expect(status).toBe(1);
  return stderr;
}

const packageOf = (name: string): string => name.split('/', name.startsWith('@') ? 2 : 1).join('/');
const isInstalled = (name: string): boolean => existsSync(join(root, 'node_modules', packageOf(name)));

test.each(Object.entries(services))(
  'the packages loaded by the programs of %s are those listed for its image',
  (service, { processes }) => {
    const loadsOf = (name: string) => (JSON.parse(read(`dist/${name}.contents.json`)) as { readonly loads: readonly string[] }).loads;
    const loads = new Set(Object.keys(processes).flatMap(loadsOf));
    expect([...loads].filter(isInstalled).sort()).toEqual([...(named[service]?.loads ?? [])].sort());
  },
);

test('the migration program has every imported package and every file it needs', () => {
  const { loads = [], files = [] } = named['migrate'] ?? {};
  const programs = files.filter((file) => file.endsWith('.mjs'));
  const texts = programs.map((file) => read(file)).join('\n');
  const imported = [...texts.matchAll(/from '([^']+)'|\.resolve\('([^']+)'\)/g)].map(([, one = '', other = '']) => one || other);
  const own = imported.filter((name) => name.startsWith('.')).map((name) => join('tools/prisma', name));
  expect(own.filter((file) => !programs.includes(file))).toEqual([]);
  const foreign = imported.filter((name) => !/^(?:\.|node:)/.test(name)).map(packageOf);
  expect([...new Set(foreign)].sort()).toEqual([...loads].sort());
});

function hashable(at: string): readonly string[] {
  return readdirSync(at, { recursive: true, withFileTypes: true })
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => {
      const { mode, mtimeMs } = statSync(path);
      const bytes = statSync(path).isFile() ? readFileSync(path).toString('base64') : '';
      return [path.slice(at.length), mode.toString(8), mtimeMs, bytes].join(' ');
    })
    .sort();
}

test('an image is reproducible; all loaded packages are there, with a record, a package list and licences', async () => {
  const [first, again] = [join(folder, 'first'), join(folder, 'again')];
  const { makeImage } = (await import(pathToFileURL(inBundle('image.mjs')).href)) as Images;
  for (const into of [first, again]) makeImage(root, 'account', into, SECONDS);
  expect(hashable(again)).toEqual(hashable(first));
  const { hash, verify } = createRequire(join(first, 'dist/'))('@node-rs/argon2') as typeof Argon2;
  expect(await verify(await hash('a word'), 'a word')).toBe(true);
  const list = JSON.parse(readFileSync(join(first, 'sbom.cdx.json'), 'utf8')) as {
    readonly components: readonly { readonly name: string }[];
  };
  const names = list.components.map(({ name }) => name);
  expect(names).toEqual(expect.arrayContaining(['@node-rs/argon2', '@node-rs/argon2-linux-x64-gnu', '@grpc/grpc-js', 'pg', 'zod']));
  expect(names).not.toContain('vitest');
  expect(existsSync(join(first, 'licences/zod/LICENSE'))).toBe(true);
  const record = JSON.parse(readFileSync(join(first, 'dist/release.json'), 'utf8')) as {
    readonly built_at_utc: string;
    readonly parts: readonly { file?: string }[];
  };
  expect(record.built_at_utc).toBe(new Date(SECONDS * 1_000).toISOString());
  expect(record.parts.flatMap(({ file }) => file ?? [])).toEqual(['dist/account.cjs', 'LICENSE', 'NOTICE']);
});

test.each([
  ['an unknown app', 'accounts', String(SECONDS), 'The app accounts has no image. Apps with images: simulated-venue, account,'],
  ['no source time', 'account', '', 'SOURCE_DATE_EPOCH must be the time of the sources in whole seconds since 1970'],
])('rejects %s', (_what, app, epoch, said) => {
  expect(failureOf(app, join(folder, 'refused'), epoch)).toContain(said);
  expect(existsSync(join(folder, 'refused'))).toBe(false);
});
