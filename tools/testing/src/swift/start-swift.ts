import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, takeTemporaryFolder } from '@market-state/launcher';
import { endProcess, spawnOwned } from '../processes/own-process';
import { comesTrue } from '../wait-until';
import { KEEPERS, keeperConfig, proxyConfig, ringProgram, type SwiftPorts, type SwiftUser } from './swift-config';

const run = promisify(execFile);

const PYTHON = '/usr/bin/python3';
const MEMCACHED = '/usr/bin/memcached';
const programOf = (server: string): string => `/usr/bin/swift-${server}-server`;

/** Whether the servers of Swift are installed: Debian's `swift-proxy`, `-account`, `-container`, `-object` and `memcached`. */
export const hasSwift = ['/etc/swift/swift.conf', PYTHON, MEMCACHED, ...['proxy', ...KEEPERS].map(programOf)].every((file) =>
  existsSync(file),
);

/** A Swift of the test's own that speaks the protocol of S3. */
export interface Swift {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Ends every server at once, as a power cut would. */
  kill(): Promise<void>;
  /** Starts the servers again, on the same ports and data. */
  restart(): Promise<void>;
  /** Keeps the proxy from answering: connections are taken and nothing follows. */
  freeze(): void;
  thaw(): void;
  /** Ends the servers and removes their data. */
  stop(): Promise<void>;
}

const READY_MS = 120_000;
const USER: SwiftUser = { account: 'test', name: 'writer', secret: 'secret-of-the-test' };

/** Starts Swift with memcached, on free ports of loopback, with its data in a temporary folder. */
export async function startSwift(): Promise<Swift> {
  const folder = takeTemporaryFolder();
  const [proxy, account, container, object, memcached] = [
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
    await freePort(),
  ];
  const ports: SwiftPorts = { proxy, account, container, object, memcached };
  await run(PYTHON, ['-c', ringProgram(folder.path, ports)]);
  mkdirSync(join(folder.path, 'logs'));
  writeFileSync(join(folder.path, 'proxy.conf'), proxyConfig(folder.path, ports, USER), { mode: 0o600 });
  for (const keeper of KEEPERS) writeFileSync(join(folder.path, `${keeper}.conf`), keeperConfig(folder.path, keeper, ports));
  const endpoint = `http://127.0.0.1:${proxy}`;
  let servers: readonly ChildProcess[] = [];

  async function start(): Promise<void> {
    const asUser = process.getuid?.() === 0 ? ['-u', 'root'] : [];
    servers = [
      startServer(folder.path, 'memcached', MEMCACHED, ['-l', '127.0.0.1', '-p', String(memcached), '-m', '16', ...asUser]),
      ...[...KEEPERS, 'proxy'].map((name) => startServer(folder.path, name, PYTHON, [programOf(name), join(folder.path, `${name}.conf`)])),
    ];
    const isReady = (): Promise<boolean> => answers(endpoint, USER);
    if (await comesTrue(isReady, { limitMs: READY_MS, everyMs: 100 })) return;
    const log = readFileSync(join(folder.path, 'logs', 'proxy'), 'utf8');
    await kill();
    throw new Error(`Swift did not start in ${READY_MS / 1_000} s.\n${log.slice(-2_000)}`);
  }

  async function kill(): Promise<void> {
    await Promise.all(servers.map((server) => endProcess(server, 'SIGKILL')));
    servers = [];
  }

  await start();
  return {
    endpoint,
    accessKeyId: `${USER.account}:${USER.name}`,
    secretAccessKey: USER.secret,
    kill,
    restart: start,
    freeze: () => void servers.at(-1)?.kill('SIGSTOP'),
    thaw: () => void servers.at(-1)?.kill('SIGCONT'),
    async stop() {
      await kill();
      folder.remove();
    },
  };
}

function startServer(folder: string, name: string, program: string, args: readonly string[]): ChildProcess {
  const log = openSync(join(folder, 'logs', name), 'a');
  return spawnOwned(program, args, { cwd: folder, stdio: ['ignore', log, log], stopSignal: 'SIGKILL' });
}

/** Whether the whole of it answers: the proxy knows the user, and those that keep data give an account. */
async function answers(endpoint: string, { account, name, secret }: SwiftUser): Promise<boolean> {
  try {
    const login = await fetch(`${endpoint}/auth/v1.0`, { headers: { 'x-auth-user': `${account}:${name}`, 'x-auth-key': secret } });
    const url = login.headers.get('x-storage-url');
    if (!login.ok || url === null) return false;
    const token = { 'x-auth-token': login.headers.get('x-auth-token') ?? '' };
    const container = await fetch(`${url}/started`, { method: 'PUT', headers: token });
    const object = await fetch(`${url}/started/object`, { method: 'PUT', headers: token, body: 'x' });
    return container.ok && object.ok;
  } catch {
    return false;
  }
}
