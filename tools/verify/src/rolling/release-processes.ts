import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  environmentOf,
  openProcessLog,
  programPath,
  type RpcAccess,
  type Stores,
  supervise,
  type SupervisedProcess,
  waitForOk,
  definitions,
  freePort,
  type ProcessDefinition,
} from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import type { Report } from '../harness';
import type { BuiltRelease } from './release-build';

/** Host names as in a cluster's DNS: each name has the addresses of all its processes. */
const DOMAIN = 'rolling.internal';
const HOSTS = ['127.0.0.1', '127.0.0.2'] as const;

/** A process of a definition; the second is named `<name>-2`. */
export interface Place {
  readonly name: string;
  readonly definition: ProcessDefinition;
  readonly host: string;
  readonly ports: { readonly ops: number; readonly grpc?: number; readonly public?: number };
  readonly settings: NodeJS.ProcessEnv;
}

/** Two processes of every definition, with their addresses. */
export interface Places {
  readonly all: readonly Place[];
  readonly addresses: NodeJS.ProcessEnv;
  readonly hostsFile: string;
}

const SHARDED = ['data-plane-recorder', 'labeling'];

/** The simulated market is not a service of ours and is never replaced. */
const placed = definitions.filter(({ onlyForFeed }) => onlyForFeed === undefined);

/**
 * @param folder receives the hosts file
 * @param shardsFile symbols of each shard; there are as many shards as processes
 */
export async function drawPlaces(folder: string, shardsFile: string): Promise<Places> {
  const all: Place[] = [];
  const addresses: NodeJS.ProcessEnv = {};
  const lines: string[] = ['127.0.0.1 localhost'];
  for (const definition of placed) {
    const { name, addressVariable } = definition;
    const grpc = addressVariable === undefined ? undefined : await freePort();
    if (addressVariable !== undefined) addresses[addressVariable] = `${name}.${DOMAIN}:${grpc}`;
    for (const [index, host] of HOSTS.entries()) {
      const ports = {
        ops: await freePort(),
        ...(grpc === undefined ? {} : { grpc }),
        ...(definition.isPublic === true ? { public: await freePort() } : {}),
      };
      const isSharded = SHARDED.includes(name);
      const shard = isSharded ? { SHARDS_FILE: shardsFile, SHARD_COUNT: String(HOSTS.length), SHARD_INDEX: String(index) } : {};
      all.push({ name: index === 0 ? name : `${name}-${index + 1}`, definition, host, ports, settings: shard });
      lines.push(`${host} ${name}.${DOMAIN}`);
    }
  }
  const hostsFile = join(folder, 'hosts');
  writeFileSync(hostsFile, `${lines.join('\n')}\n`);
  return { all, addresses, hostsFile };
}

export function addressOf({ all }: Places, name: string): string {
  const place = all.find((each) => each.name === name);
  if (place?.ports.grpc === undefined) throw new Error(`${name} serves no RPCs.`);
  return `${place.host}:${place.ports.grpc}`;
}

const READY_MS_MAX = 120_000;
/** A process forces its own exit after 29 s. */
const STOP_MS_MAX = 30_000;
const ENDED_MS_MAX = 28_000;

/** Simulates a separate machine, with its own host name and /etc/hosts. */
const ON_ITS_MACHINE = 'mount --bind "$0" /etc/hosts && hostname "$1" && shift && exec "$@"';

interface ReleaseProcessesOptions {
  readonly places: Places;
  readonly stores: Pick<Stores, 'postgresUrl' | 'redisUrl'>;
  readonly rpc: RpcAccess;
  readonly dataDir: string;
  readonly settings: NodeJS.ProcessEnv;
  readonly report: Report;
}

export interface Replaced {
  readonly place: Place;
  readonly release: BuiltRelease;
  readonly stopMs: number;
  /** From the successor's start until it is ready. */
  readonly readyMs: number;
  /** Time of the stop order, by `performance.now()`. */
  readonly atMs: number;
}

export interface ReleaseProcesses {
  has(place: Place, release: BuiltRelease): boolean;
  start(place: Place, release: BuiltRelease): Promise<number>;
  /** Stops the process gracefully and starts the given release's at the same addresses. */
  replace(place: Place, release: BuiltRelease): Promise<Replaced>;
}

/** Any process that exits unexpectedly or must be killed fails the suite. */
export function createReleaseProcesses(closer: Closer, options: ReleaseProcessesOptions): ReleaseProcesses {
  const { places, dataDir, settings, report } = options;
  const running = new Map<string, SupervisedProcess>();
  closer.add('processes', async () => {
    const inOrder = [...places.all].sort((one, other) => one.definition.stopStage - other.definition.stopStage);
    for (const stage of new Set(inOrder.map(({ definition }) => definition.stopStage))) {
      const together = inOrder.filter(({ definition }) => definition.stopStage === stage);
      await Promise.all(together.map(({ name }) => running.get(name)?.stop()));
    }
  });

  function environmentIn({ definition, host, ports, settings: own }: Place, { root }: BuiltRelease): NodeJS.ProcessEnv {
    return {
      ...environmentOf(definition, new Map([[definition.name, ports]]), places.addresses, {
        ...options,
        settings: { ...settings, ...own },
      }),
      MARKET_STATE_ROOT: root,
      OPS_HOST: host,
      ...(ports.grpc === undefined ? {} : { GRPC_ADDRESS: `${host}:${ports.grpc}` }),
      ...(definition.isPublic === true ? { PORTAL_DIR: join(root, 'dist', 'portal'), DOCS_DIR: join(root, 'dist', 'docs') } : {}),
    };
  }

  const programOf = ({ definition }: Place, { root }: BuiltRelease): string => join(root, programPath(definition.name));

  async function start(place: Place, release: BuiltRelease): Promise<number> {
    const { name, host, ports } = place;
    const startedMs = performance.now();
    const asRoot = process.getuid?.() === 0 ? [] : ['--map-root-user'];
    const machine = [...asRoot, '--mount', '--uts', '--propagation', 'private', '/bin/sh', '-c', ON_ITS_MACHINE, places.hostsFile, name];
    const log = openProcessLog(join(dataDir, 'logs', `${name}.log`));
    const spec = {
      name,
      command: 'unshare',
      args: [...machine, process.execPath, programOf(place, release)],
      env: environmentIn(place, release),
      cwd: dataDir,
      stopSignal: 'SIGTERM' as const,
      stopTimeoutMs: STOP_MS_MAX,
    };
    const supervised = supervise(spec, log, (event) => {
      if (event.kind === 'crashed')
        report.fail(`${name} of ${release.name} exited: ${event.cause}, ${event.lastLines.at(-1)?.slice(0, 300) ?? ''}`);
      if (event.kind === 'refused') report.fail(`${name} of ${release.name} rejects its configuration.`);
    });
    running.set(name, supervised);
    await waitForOk(`http://${host}:${ports.ops}/readyz`, timeLimit(READY_MS_MAX)).catch((cause: unknown) => {
      throw new Error(`${name} of ${release.name} was not ready in ${READY_MS_MAX} ms.`, { cause });
    });
    return performance.now() - startedMs;
  }

  return {
    has: (place, release) => existsSync(programOf(place, release)),
    start,
    async replace(place, release) {
      const stoppedMs = performance.now();
      await running.get(place.name)?.stop();
      const stopMs = performance.now() - stoppedMs;
      report.check(stopMs < ENDED_MS_MAX, `${place.name} took ${Math.round(stopMs)} ms to exit, and was killed.`);
      return { place, release, atMs: stoppedMs, stopMs, readyMs: await start(place, release) };
    },
  };
}
