import { execFileSync } from 'node:child_process';
import { chmodSync, chownSync, copyFileSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { findProgram } from '@market-state/testing';
import { type ComposeFile, composeFolder } from './compose-services';
import { type Machine, plainProcess, type ServiceProcess } from './plain-process';

const POSTGRES_FOLDER = '/usr/lib/postgresql/15/bin';
const NOBODY = 65_534;

/** PostgreSQL 15 of Debian with the configuration of the Compose file; a new cluster is made, as the image does at its first start. */
export async function postgresProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram(join(POSTGRES_FOLDER, 'postgres'), 'postgresql-15', say);
  const { args, env } = plainProcess(file, 'postgres', machine);
  const home = join(machine.folder, 'volumes', 'postgres');
  mkdirSync(home, { recursive: true });
  const user = process.getuid?.() === 0 ? { uid: NOBODY, gid: NOBODY } : {};
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

/** Redis of Debian with the configuration of the Compose file. */
export async function redisProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram('/usr/bin/redis-server', 'redis-server', say);
  const { args, env } = plainProcess(file, 'redis', machine);
  const folder = join(machine.folder, 'volumes', 'redis');
  mkdirSync(folder, { recursive: true });
  const port = String(machine.portOf('redis', '6379'));
  return { command, args: [...args, '--bind', '127.0.0.1', '--port', port], env, cwd: folder };
}

/** HAProxy of Debian with the configuration of the Compose file, started as its image starts it. */
export async function haproxyProcess(file: ComposeFile, machine: Machine, say: (line: string) => void): Promise<ServiceProcess> {
  const command = await findProgram('/usr/sbin/haproxy', 'haproxy', say);
  const { env } = plainProcess(file, 'haproxy', machine);
  return { command, args: ['-W', '-db', '-f', join(composeFolder(), '..', 'haproxy', 'haproxy.cfg')], env };
}
