import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build, type Metafile } from 'esbuild';
import type { build as node } from './entry';

export type Build = typeof node;

/** The browser build, which also runs in Node, and its modules. */
export interface BrowserBuild {
  readonly labeler: Build;
  readonly text: string;
  readonly inputs: Metafile['inputs'];
}

export async function browserBuild(): Promise<BrowserBuild> {
  const folder = mkdtempSync(join(tmpdir(), 'browser-build-'));
  try {
    const outfile = join(folder, 'labeler.mjs');
    const options = { bundle: true, format: 'esm', platform: 'browser', metafile: true, logLevel: 'error' } as const;
    const { metafile } = await build({ ...options, entryPoints: [join(import.meta.dirname, 'entry.ts')], outfile });
    const { build: labeler } = (await import(/* @vite-ignore */ pathToFileURL(outfile).href)) as { readonly build: Build };
    return { labeler, text: readFileSync(outfile, 'utf8'), inputs: metafile.inputs };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
