import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { programFile, startSystem as launch } from '@market-state/launcher';
import type { System, SystemOptions } from '@market-state/launcher';
import { timeLimit } from '@market-state/lifecycle';

/** Ends a hung start; not a bound on busy machines. */
const READY_LIMIT_MS = 600_000;
const ANSWER_TIMEOUT_MS = 5_000;
const LOG_CHARS = 1_500;
/** Receivers of tests listen on any free port of this machine. */
const ANY_PORT = { WEBHOOK_TEST_TARGETS: 'localhost:*=127.0.0.0/8' };

/** @throws Error if it has not been built */
export function bundleOf(name: string): string {
  const file = programFile(name);
  if (!existsSync(file)) throw new Error(`${file} is missing. To build every program, run \`npx nx run bundle:record\`.`);
  return file;
}

/**
 * Starts the system like `npm start`, with private stores, a free port, temporary data unless a folder is given, and
 * webhooks to any port of this machine. Ends with this process.
 * @throws Error if a program has not been built, or with each process's missing checks if the system is not ready after
 * ten minutes
 */
export async function startSystem(options: SystemOptions = {}): Promise<System> {
  const said: string[] = [];
  const settings = options.settings?.['NODE_ENV'] === 'production' ? options.settings : { ...ANY_PORT, ...options.settings };
  const system = await launch({ ...options, settings, say: (line) => said.push(line) });
  try {
    await system.ready(timeLimit(READY_LIMIT_MS));
    return system;
  } catch (error) {
    const states = await Promise.all([readinessAt('public', system.url), ...system.processes.names.map((name) => stateOf(system, name))]);
    await system.kill();
    throw new Error(['The system did not become ready.', ...said, ...states].join('\n'), { cause: error });
  }
}

async function stateOf(system: System, name: string): Promise<string> {
  const readiness = await readinessAt(name, `http://127.0.0.1:${system.processes.portsOf(name).ops}`);
  const log = readFileSync(join(system.dataDir, 'logs', `${name}.log`), 'utf8');
  return `${readiness}\n${log.slice(-LOG_CHARS)}`;
}

async function readinessAt(name: string, url: string): Promise<string> {
  try {
    const response = await fetch(`${url}/readyz`, { signal: timeLimit(ANSWER_TIMEOUT_MS) });
    return `${name}: ${response.status} ${await response.text()}`;
  } catch (error) {
    return `${name}: ${String(error)}`;
  }
}
