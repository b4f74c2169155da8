import { once } from 'node:events';
import { spawn, execFileSync } from 'node:child_process';
import { mkdirSync, chmodSync, chownSync, copyFileSync } from 'node:fs';
import { connect } from 'node:net';
import { join } from 'node:path';
import { openProcessLog, supervise, type SupervisedProcess, withClient } from '@market-state/launcher';
import { type Closer, timeLimit, waitFor } from '@market-state/lifecycle';
import { findProgram } from '@market-state/testing';
import { type ComposeFile, composeFolder, type Machine, type ServiceProcess, plainProcess } from './plain-process';

const POSTGRES_FOLDER = '/usr/lib/postgresql/15/bin';
const UNPRIVILEGED_USER = 65_534;

/**
 * Debian's PostgreSQL 15 with the Compose file's configuration, on a new cluster, as the image creates it on its first
 * start.
 */
async function postgresProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram(join(POSTGRES_FOLDER, 'postgres'), 'postgresql-15', say);
  const { args, env } = plainProcess(file, 'postgres', machine);
  const home = join(machine.folder, 'volumes', 'postgres');
  mkdirSync(home, { recursive: true });
  const user = process.getuid?.() === 0 ? { uid: UNPRIVILEGED_USER, gid: UNPRIVILEGED_USER } : {};
  const own = (path: string, mode: number): string => {
    if (user.uid !== undefined) chownSync(path, user.uid, user.gid);
    chmodSync(path, mode);
    return path;
  };
  for (const folder of [machine.folder, join(machine.folder, 'volumes')]) chmodSync(folder, 0o711);
  const [password, config] = [join(home, 'password'), join(home, 'postgresql.conf')];
  copyFileSync(env['POSTGRES_PASSWORD_FILE'] ?? '', password);
  copyFileSync(join(composeFolder(), '..', 'postgres', 'postgresql.conf'), config);
  [password, config].forEach((path) => own(path, 0o600));
  own(home, 0o700);
  const data = join(home, 'data');
  const initArguments = (env['POSTGRES_INITDB_ARGS'] ?? '').split(' ');
  const asUser = { cwd: home, env: { PATH: env['PATH'], LC_ALL: 'C' }, ...user, stdio: 'pipe' as const };
  execFileSync(join(POSTGRES_FOLDER, 'initdb'), ['-D', data, '-U', 'postgres', `--pwfile=${password}`, ...initArguments], asUser);
  const here = { port: String(machine.portOf('postgres', '5432')), listen_addresses: '127.0.0.1', unix_socket_directories: '' };
  return {
    command,
    args: [
      ...args.map((argument) => (argument.startsWith('config_file=') ? `config_file=${config}` : argument)),
      '-D',
      data,
      ...Object.entries(here).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    env: { PATH: env['PATH'], LC_ALL: 'C', TZ: 'UTC' },
    ...user,
  };
}

async function redisProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram('/usr/bin/redis-server', 'redis-server', say);
  const { args, env } = plainProcess(file, 'redis', machine);
  const folder = join(machine.folder, 'volumes', 'redis');
  mkdirSync(folder, { recursive: true });
  const port = String(machine.portOf('redis', '6379'));
  return { command, args: [...args, '--bind', '127.0.0.1', '--port', port], env, cwd: folder };
}

async function haproxyProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram('/usr/sbin/haproxy', 'haproxy', say);
  const { env } = plainProcess(file, 'haproxy', machine);
  return { command, args: ['-W', '-db', '-f', join(composeFolder(), '..', 'haproxy', 'haproxy.cfg')], env };
}

const STOP_MS = 30_000;
const MIGRATION_MS = 60_000;
const HEALTHY_MS = 30_000;
const PROBE_MS = 3_000;
const LINE_MAX = 300;
/** The same for every process, because each has its own network. */
const OPS_PORT = '9000';

/** Services of the Compose file as plain processes that are restarted whenever they exit. */
export interface ComposeRun {
  readonly names: readonly string[];
  kill(name: string): void;
  isReady(name: string): Promise<boolean>;
  restarts(name: string): number;
}

export type RunOurs = (file: ComposeFile, name: string, machine: Machine) => ServiceProcess;

/** Starts every service once the dependencies in the file are met, and stops them in reverse order at the end. */
export async function runComposeFile(
  closer: Closer,
  file: ComposeFile,
  machine: Machine,
  adminUrl: string,
  runOurs: RunOurs,
  say: (line: string) => void,
): Promise<ComposeRun> {
  const running = new Map<string, SupervisedProcess>();
  const processOf = (name: string): Promise<ServiceProcess> | ServiceProcess => {
    if (name === 'postgres') return postgresProcess(file, machine, say);
    if (name === 'redis') return redisProcess(file, machine, say);
    return name === 'haproxy' ? haproxyProcess(file, machine, say) : runOurs(file, name, machine);
  };
  const work = join(machine.folder, 'work');
  mkdirSync(work, { recursive: true, mode: 0o755 });

  const health: Readonly<Record<string, () => Promise<unknown>>> = {
    postgres: () => withClient(adminUrl, (client) => client.query('SELECT 1')),
    redis: () => pingRedis(machine.portOf('redis', '6379')),
  };
  const askReady = async (name: string): Promise<void> => {
    const url = `http://127.0.0.1:${machine.portOf(name, OPS_PORT)}/readyz`;
    const { status } = await fetch(url, { signal: timeLimit(PROBE_MS) });
    if (status !== 200) throw new Error(`${url} answers ${status}.`);
  };
  const untilHealthy = async (name: string): Promise<void> => {
    const probe = health[name];
    if (probe === undefined) throw new Error(`This suite has no health check for ${name}.`);
    await waitFor(name, () => probe().then(() => undefined), { signal: timeLimit(HEALTHY_MS), minDelayMs: 20, maxDelayMs: 200 });
  };
  const completed = new Map<string, Promise<void>>();
  const reached = async (name: string, condition: string): Promise<void> => {
    if (condition === 'service_healthy') await untilHealthy(name);
    if (condition === 'service_completed_successfully') await completed.get(name);
  };

  const start = async (name: string): Promise<void> => {
    const needed = Object.entries(file.services[name]?.depends_on ?? {});
    await Promise.all(needed.map(([other, { condition }]) => reached(other, condition)));
    const { command, args, env, uid, gid, cwd = work } = await processOf(name);
    if (name.startsWith('migrate-')) return runOnce(name, { command, args, env, uid, gid, cwd });
    const log = openProcessLog(join(machine.folder, 'logs', `${name}.log`));
    const settings = { name, command, args: [...args], env, cwd, uid, gid, stopTimeoutMs: STOP_MS };
    const supervised = supervise({ ...settings, stopSignal: name === 'postgres' ? 'SIGINT' : 'SIGTERM' }, log, (event) => {
      if (event.kind === 'refused') say(`${name} rejects its configuration.`);
      if (event.kind === 'crashed' && event.cause !== 'SIGKILL')
        say(`${name} exited (${event.cause}). ${event.lastLines.at(-1)?.slice(0, LINE_MAX) ?? ''}`);
    });
    closer.add(name, () => supervised.stop());
    running.set(name, supervised);
  };
  // Started in order; those that wait for a migration wait concurrently.
  const started: Promise<void>[] = [];
  for (const name of Object.keys(file.services)) {
    const runs = start(name);
    if (name.startsWith('migrate-')) completed.set(name, runs);
    started.push(runs);
    if (name === 'postgres' || name === 'redis') await runs;
  }
  await Promise.all(started);

  const one = (name: string): SupervisedProcess => {
    const found = running.get(name);
    if (found === undefined) throw new Error(`${name} is not running.`);
    return found;
  };
  return {
    names: Object.keys(file.services).filter((name) => running.has(name)),
    kill(name) {
      const { pid } = one(name);
      if (pid === undefined) throw new Error(`${name} is not running.`);
      process.kill(pid, 'SIGKILL');
    },
    isReady(name) {
      const probe = health[name] ?? (file.services[name]?.environment?.['OPS_PORT'] === undefined ? undefined : () => askReady(name));
      return probe === undefined
        ? Promise.resolve(true)
        : probe().then(
            () => true,
            () => false,
          );
    },
    restarts: (name) => one(name).restarts,
  };
}

/** @throws Error with its output if it fails or times out */
async function runOnce(name: string, { command, args, ...settings }: ServiceProcess): Promise<void> {
  const child = spawn(command, args, { ...settings, stdio: ['ignore', 'pipe', 'pipe'], timeout: MIGRATION_MS });
  const said: string[] = [];
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk: Buffer) => said.push(chunk.toString()));
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${name} exited with ${code ?? 'a signal'}: ${said.join('').trim()}`);
}

/** A demand for a password shows that it is up. */
async function pingRedis(port: number): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, timeout: 1_000 });
  socket.once('timeout', () => socket.destroy(new Error('Redis does not answer.')));
  try {
    await once(socket, 'connect');
    socket.write('PING\r\n');
    const [answer] = (await once(socket, 'data')) as [Buffer];
    if (!/PONG|NOAUTH/.test(answer.toString())) throw new Error(`Redis answers ${answer.toString().trim()}.`);
  } finally {
    socket.destroy();
  }
}
