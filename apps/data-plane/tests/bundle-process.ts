import { execFileSync } from 'node:child_process';
import { join } from 'node:path';

const APP = join(import.meta.dirname, '..');

/** Bundles a process of this app into one file, with a command that leaves nothing running. */
export function bundleProcess(main: string, outfile: string): void {
  const esbuild = join(APP, '..', '..', 'node_modules', '.bin', 'esbuild');
  const options = [
    '--bundle',
    '--platform=node',
    '--target=node24',
    '--format=cjs',
    '--define:import.meta.dirname=__dirname',
    '--log-level=error',
  ];
  const external = ['pg-native', 'lz4-napi', '@duckdb/*'].map((name) => `--external:${name}`);
  execFileSync(esbuild, [join(APP, 'src', main), `--outfile=${outfile}`, ...options, ...external]);
}
