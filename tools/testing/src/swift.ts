import { type ChildProcess, execFile } from 'node:child_process';
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { userInfo, tmpdir } from 'node:os';
import { mkdtemp, rm } from 'node:fs/promises';
import { freePort, takeTemporaryFolder } from '@market-state/launcher';
import { AwsClient } from 'aws4fetch';
import { endProcess, spawnOwned } from './processes/start-process';
import { comesTrue } from './wait-until';

export interface SwiftBucket {
  readonly name: string;
  readonly folder: string;
  /** Request to `key` and query below the bucket. */
  ask(path: string, init?: RequestInit): Promise<Response>;
  close(): Promise<void>;
}

let buckets = 0;

/** Sets the SDK's environment variables until the bucket is closed. */
export async function openSwiftBucket(swift: Swift): Promise<SwiftBucket> {
  buckets += 1;
  const name = `bucket-${process.pid}-${buckets}`;
  const folder = await mkdtemp(join(tmpdir(), 's3-store-'));
  const client = new AwsClient({
    accessKeyId: swift.accessKeyId,
    secretAccessKey: swift.secretAccessKey,
    service: 's3',
    region: 'us-east-1',
    retries: 0,
  });
  const ask = (path: string, init?: RequestInit): Promise<Response> => client.fetch(`${swift.endpoint}/${name}${path}`, init);
  const before = { ...process.env };
  process.env['AWS_ACCESS_KEY_ID'] = swift.accessKeyId;
  process.env['AWS_SECRET_ACCESS_KEY'] = swift.secretAccessKey;
  const made = await ask('', { method: 'PUT' });
  if (!made.ok) throw new Error(`no bucket: ${made.status} ${await made.text()}`);
  return {
    name,
    folder,
    ask,
    async close() {
      for (const variable of ['AWS_ACCESS_KEY_ID', 'AWS_SECRET_ACCESS_KEY']) {
        if (before[variable] === undefined) delete process.env[variable];
        else process.env[variable] = before[variable];
      }
      await rm(folder, { recursive: true, force: true });
    },
  };
}

const KEEPERS = ['account', 'container', 'object'] as const;
type Keeper = (typeof KEEPERS)[number];

interface SwiftPorts extends Readonly<Record<Keeper, number>> {
  readonly proxy: number;
  readonly memcached: number;
}

interface SwiftUser {
  readonly account: string;
  readonly name: string;
  readonly secret: string;
}

function common(folder: string, port: number): string {
  return `[DEFAULT]
bind_ip = 127.0.0.1
bind_port = ${port}
workers = 0
user = ${userInfo().username}
swift_dir = ${folder}
devices = ${folder}/devices
mount_check = false
log_level = WARNING
`;
}

function keeperConfig(folder: string, keeper: Keeper, ports: SwiftPorts): string {
  return `${common(folder, ports[keeper])}
[pipeline:main]
pipeline = ${keeper}-server

[app:${keeper}-server]
use = egg:swift#${keeper}
allow_versions = true
`;
}

function proxyConfig(folder: string, ports: SwiftPorts, { account, name, secret }: SwiftUser): string {
  return `${common(folder, ports.proxy)}
[pipeline:main]
pipeline = catch_errors gatekeeper healthcheck cache listing_formats bulk s3api tempauth slo dlo proxy-server

[app:proxy-server]
use = egg:swift#proxy
account_autocreate = true

[filter:catch_errors]
use = egg:swift#catch_errors

[filter:gatekeeper]
use = egg:swift#gatekeeper

[filter:healthcheck]
use = egg:swift#healthcheck

[filter:cache]
use = egg:swift#memcache
memcache_servers = 127.0.0.1:${ports.memcached}

[filter:listing_formats]
use = egg:swift#listing_formats

[filter:bulk]
use = egg:swift#bulk

[filter:s3api]
use = egg:swift#s3api
location = us-east-1
dns_compliant_bucket_names = true

[filter:tempauth]
use = egg:swift#tempauth
user_${account}_${name} = ${secret} .admin

[filter:slo]
use = egg:swift#slo

[filter:dlo]
use = egg:swift#dlo
`;
}

function ringProgram(folder: string, ports: SwiftPorts): string {
  const rings = KEEPERS.map((keeper) => `(${JSON.stringify(keeper)}, ${ports[keeper]})`).join(', ');
  return `
import os
from swift.common.ring import RingBuilder
os.makedirs(${JSON.stringify(`${folder}/devices/disk`)}, exist_ok=True)
for name, port in [${rings}]:
    builder = RingBuilder(4, 1, 0)
    builder.add_dev(dict(region=1, zone=1, ip='127.0.0.1', port=port, replication_ip='127.0.0.1', replication_port=port, device='disk', weight=1, meta=''))
    builder.rebalance(seed='1')
    builder.get_ring().save(${JSON.stringify(folder)} + '/' + name + '.ring.gz')
`;
}

const run = promisify(execFile);

const PYTHON = '/usr/bin/python3';
const MEMCACHED = '/usr/bin/memcached';
const programOf = (server: string): string => `/usr/bin/swift-${server}-server`;

/** True if Debian's `swift-proxy`, `-account`, `-container`, `-object` and `memcached` are installed. */
export const hasSwift = ['/etc/swift/swift.conf', PYTHON, MEMCACHED, ...['proxy', ...KEEPERS].map(programOf)].every((file) =>
  existsSync(file),
);

/** A private Swift with the S3 protocol. */
export interface Swift {
  readonly endpoint: string;
  readonly accessKeyId: string;
  readonly secretAccessKey: string;
  /** Kills every server, like a power failure. */
  kill(): Promise<void>;
  /** Restarts the servers on the same ports and data. */
  restart(): Promise<void>;
  /** Freezes the proxy: it accepts connections but does not answer. */
  freeze(): void;
  thaw(): void;
  stop(): Promise<void>;
}

const READY_MS = 120_000;
const USER: SwiftUser = { account: 'test', name: 'writer', secret: 'secret-of-the-test' };

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
