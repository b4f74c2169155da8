import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import { monitoringFolder } from '@market-state/monitoring';
import { parse, stringify } from 'yaml';
import { openFolder, endProcess, spawnOwned, waitUntil } from '@market-state/testing';

const READY_MS = 60_000;

interface ProgramPlan {
  readonly file: string;
  readonly args: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly uid?: number;
  readonly isReady: () => Promise<boolean>;
}

/**
 * Runs a program until the suite ends; resolves once it is ready. @throws Error with its last lines if it fails to
 * start
 */
export async function runProgram(closer: Closer, name: string, { file, args, env, uid, isReady }: ProgramPlan): Promise<void> {
  const program = spawnOwned(file, args, {
    env: { PATH: process.env['PATH'], LC_ALL: 'C', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    stopSignal: 'SIGINT',
    ...(uid === undefined ? {} : { uid, gid: uid }),
  });
  let said = '';
  for (const stream of [program.stdout, program.stderr])
    stream?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-2_000)));
  closer.add(name, () => endProcess(program, 'SIGINT'));
  const isThere = async (): Promise<boolean> => {
    if (program.exitCode !== null) return true;
    return isReady();
  };
  await waitUntil(`${name} ready`, isThere, READY_MS).catch((error: Error) => {
    throw new Error(`${name} did not start: ${said}`, { cause: error });
  });
  if (program.exitCode !== null) throw new Error(`${name} exited with ${program.exitCode}: ${said}`);
}

const ANSWER_MS_MAX = 10_000;
/** Shorter than in production to save time; query ranges still span several scrapes. */
const INTERVAL = '5s';

interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atS: number, value: string];
}

export interface RaisedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

export interface Prometheus {
  readonly url: string;
  /** @throws Error with Prometheus's message for a rejected query */
  query(expr: string): Promise<readonly Sample[]>;
  alerts(): Promise<readonly RaisedAlert[]>;
  /** Number of rules, and a description of each that fails to evaluate. */
  rules(): Promise<{ readonly total: number; readonly faults: readonly string[] }>;
}

interface Configuration {
  readonly global: object;
  readonly scrape_configs: readonly { readonly job_name: string; readonly file_sd_configs?: readonly object[] }[];
}

function configurationOf(targetsFile: string, exporter: string): string {
  const shipped = parse(readFileSync(join(monitoringFolder(), 'prometheus-one-machine.yaml'), 'utf8')) as Configuration;
  return stringify({
    ...shipped,
    global: { ...shipped.global, scrape_interval: INTERVAL, scrape_timeout: INTERVAL, evaluation_interval: INTERVAL },
    rule_files: [join(monitoringFolder(), 'rules', '*.yaml')],
    scrape_configs: [
      ...shipped.scrape_configs.map((job) => ({ ...job, file_sd_configs: [{ files: [targetsFile], refresh_interval: INTERVAL }] })),
      { job_name: 'postgres', static_configs: [{ targets: [exporter] }] },
    ],
  });
}

export async function startPrometheus(closer: Closer, file: string, targetsFile: string, exporter: string): Promise<Prometheus> {
  const folder = openFolder(closer);
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  writeFileSync(join(folder, 'prometheus.yaml'), configurationOf(targetsFile, exporter));

  async function ask<T>(path: string): Promise<T> {
    const answer = await fetch(`${url}/api/v1/${path}`, { signal: timeLimit(ANSWER_MS_MAX) });
    const { status, error, data } = (await answer.json()) as { status: string; error?: string; data: T };
    if (status !== 'success') throw new Error(`Prometheus answered ${path} with: ${error}`);
    return data;
  }

  await runProgram(closer, 'prometheus', {
    file,
    args: [
      `--config.file=${join(folder, 'prometheus.yaml')}`,
      `--storage.tsdb.path=${join(folder, 'data')}`,
      `--web.listen-address=127.0.0.1:${port}`,
      '--log.level=warn',
    ],
    isReady: async () => (await fetch(`${url}/-/ready`, { signal: timeLimit(ANSWER_MS_MAX) })).ok,
  });
  return {
    url,
    query: async (expr) => (await ask<{ result: readonly Sample[] }>(`query?query=${encodeURIComponent(expr)}`)).result,
    alerts: async () => (await ask<{ alerts: readonly RaisedAlert[] }>('alerts')).alerts,
    async rules() {
      const { groups } = await ask<{ groups: readonly { rules: readonly { name: string; health: string; lastError?: string }[] }[] }>(
        'rules',
      );
      const all = groups.flatMap(({ rules }) => rules);
      const faults = all.filter(({ health }) => health === 'err').map(({ name, lastError }) => `${name} fails to evaluate: ${lastError}`);
      return { total: all.length, faults };
    },
  };
}
