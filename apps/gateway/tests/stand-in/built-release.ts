import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { recordRelease } from '../../src/release/release-parts';

const PROGRAM = 'console.log("a gateway");';

/** Portal build: manifest, page and script. */
export const PORTAL = {
  'portal.json': JSON.stringify({
    schema: 'market_state_portal.v3',
    pages: [{ pattern: '/', html: 'home.html' }],
    not_found: 'not-found.html',
    files: ['assets/main-0a1b2c3d.js'],
  }),
  'home.html': '<!doctype html>',
  'not-found.html': '<!doctype html><title>Not found</title>',
  'assets/main-0a1b2c3d.js': 'export {};',
};

export function writePortal(folder: string, files: Readonly<Record<string, string>> = PORTAL): void {
  mkdirSync(join(folder, 'assets'), { recursive: true });
  for (const [file, content] of Object.entries(files)) writeFileSync(join(folder, file), content);
}

export function hashOf(content: string): string {
  return createHash('sha256').update(content).digest('hex');
}

/** A program as the bundler outputs it. */
export function programPart(name: string, content: string) {
  return { name: `program/${name}`, sha256: hashOf(content), bytes: content.length, file: `dist/${name}.cjs` };
}

/** Build output: two programs, two documents, the portal and their record. */
export function buildRelease(root: string, builtAtUtc: string) {
  mkdirSync(join(root, 'dist'));
  mkdirSync(join(root, 'docs'));
  const files = {
    'dist/gateway.cjs': PROGRAM,
    'dist/labeling.cjs': 'console.log("labels");',
    'README.md': '# Read me\n',
    'docs/labeling.md': '# How\n',
  };
  for (const [file, content] of Object.entries(files)) writeFileSync(join(root, file), content);
  const portalDir = join(root, 'dist', 'portal');
  writePortal(portalDir);
  const programs = ['gateway', 'labeling'].map((name) => programPart(name, files[`dist/${name}.cjs` as keyof typeof files]));
  const released = [
    ...['README.md', 'docs/labeling.md'].map((file) => ({ name: `document/${file}`, file })),
    ...Object.keys(PORTAL).map((file) => ({ name: `portal/${file}`, file: `dist/portal/${file}` })),
  ];
  const facts = {
    ...{ built_at_utc: builtAtUtc, recorded_at_utc: builtAtUtc },
    ...{ source_digest: 'a'.repeat(64), source_revision: 'b'.repeat(40), source_modified: false },
  };
  const recordFile = join(root, 'dist', 'release.json');
  recordRelease(recordFile, programs, released, facts);
  return { recordFile, programFile: join(root, 'dist', 'gateway.cjs'), portalDir, programs, released, facts };
}
