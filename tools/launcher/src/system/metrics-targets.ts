import { renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { RunningProcesses } from './run-processes';

/** The file that tells Prometheus where the processes of a data folder have their metrics; there is none while none runs. */
function targetsFile(dataDir: string): string {
  return join(dataDir, 'metrics-targets.json');
}

/** Writes the file whole, in the form of Prometheus's `file_sd_configs`: a target for each process, labelled `process`. */
export function writeMetricsTargets(dataDir: string, { names, portsOf }: Pick<RunningProcesses, 'names' | 'portsOf'>): void {
  const targets = names.map((name) => ({ targets: [`127.0.0.1:${portsOf(name).ops}`], labels: { process: name } }));
  const file = targetsFile(dataDir);
  writeFileSync(`${file}.new`, `${JSON.stringify(targets, null, 2)}\n`);
  renameSync(`${file}.new`, file);
}

export function removeMetricsTargets(dataDir: string): void {
  rmSync(targetsFile(dataDir), { force: true });
}
