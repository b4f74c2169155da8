import { existsSync } from 'node:fs';
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
} from '@market-state/launcher';
import { type Closer, timeLimit } from '@market-state/lifecycle';
import type { Report } from '../harness';
import type { Place, Places } from './places';
import type { BuiltRelease } from './release-build';

const READY_MS_MAX = 120_000;
/** A process forces its own end after 29 s. */
const STOP_MS_MAX = 30_000;
const ENDED_MS_MAX = 28_000;

/** As on a machine of its own name, where /etc/hosts has the names of the processes. */
const ON_ITS_MACHINE = 'mount --bind "$0" /etc/hosts && hostname "$1" && shift && exec "$@"';

export interface ReleaseProcessesOptions {
  readonly places: Places;
  readonly stores: Pick<Stores, 'postgresUrl' | 'redisUrl'>;
  readonly rpc: RpcAccess;
  readonly dataDir: string;
  readonly settings: NodeJS.ProcessEnv;
  readonly report: Report;
}

/** How a process was replaced, milliseconds. */
export interface Replaced {
  readonly place: Place;
  readonly release: BuiltRelease;
  /** From the signal until it was gone. */
  readonly stopMs: number;
  /** From its start until the next said that it is ready. */
  readonly readyMs: number;
  /** When the order to stop came, a time of `performance.now()`. */
  readonly atMs: number;
}

/** The processes of a system, each of one of the releases. */
export interface ReleaseProcesses {
  /** Whether the release has a program for that place. */
  has(place: Place, release: BuiltRelease): boolean;
  /** Starts it; resolves when it is ready. */
  start(place: Place, release: BuiltRelease): Promise<number>;
  /** Ends the process of a place as an order to stop does, and starts that of a release in its stead, at the same addresses. */
  replace(place: Place, release: BuiltRelease): Promise<Replaced>;
}

/** Every process that ends unasked, or must be killed, is a failure of the suite. */
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
        report.fail(`${name} of ${release.name} ended: ${event.cause}, ${event.lastLines.at(-1)?.slice(0, 300) ?? ''}`);
      if (event.kind === 'refused') report.fail(`${name} of ${release.name} does not take its configuration.`);
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
      report.check(stopMs < ENDED_MS_MAX, `${place.name} took ${Math.round(stopMs)} ms to end, and was killed.`);
      return { place, release, atMs: stoppedMs, stopMs, readyMs: await start(place, release) };
    },
  };
}
