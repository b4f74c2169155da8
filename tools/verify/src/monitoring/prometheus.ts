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
  /** User that it runs as; absent: ours. */
  readonly uid?: number;
  /** Whether it takes calls. */
  readonly isReady: () => Promise<boolean>;
}

/** Runs a program until the suite ends; resolves once it takes calls. @throws Error with its last lines when it does not */
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
  if (program.exitCode !== null) throw new Error(`${name} ended with ${program.exitCode}: ${said}`);
}

const ANSWER_MS_MAX = 10_000;
/** More often than in use, so that a suite waits less; spans in queries hold some of these all the same. */
const INTERVAL = '5s';

/** A series of an answer, at one instant. */
interface Sample {
  readonly metric: Readonly<Record<string, string>>;
  readonly value: readonly [atS: number, value: string];
}

/** An alert that is pending or fires. */
export interface RaisedAlert {
  readonly labels: Readonly<Record<string, string>>;
  readonly state: 'pending' | 'firing';
}

/** A Prometheus that scrapes a running system. */
export interface Prometheus {
  readonly url: string;
  /** @throws Error with what Prometheus says of a query that it refuses */
  query(expr: string): Promise<readonly Sample[]>;
  alerts(): Promise<readonly RaisedAlert[]>;
  /** Rules that could not be evaluated, a sentence each, and how many there are. */
  rules(): Promise<{ readonly total: number; readonly faults: readonly string[] }>;
}

interface Configuration {
  readonly global: object;
  readonly scrape_configs: readonly { readonly job_name: string; readonly file_sd_configs?: readonly object[] }[];
}

/** The configuration for one machine, with this system's targets and an exporter of Postgres, and the rules as they are shipped. */
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
    if (status !== 'success') throw new Error(`Prometheus answers ${path} with: ${error}`);
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
      const faults = all.filter(({ health }) => health === 'err').map(({ name, lastError }) => `${name} cannot be evaluated: ${lastError}`);
      return { total: all.length, faults };
    },
  };
}
