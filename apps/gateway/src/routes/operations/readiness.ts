import { type GrpcClient, type healthDefinition, WHOLE_PROCESS } from '@market-state/grpc';
import type { RequestHandler } from 'express';
import { requestIdOf } from '../../serving/http/request-lifetime';
import { sendJson } from '../../serving/http/send';
import type { Described } from '../../serving/openapi/document';
import type { CredentialDirectory } from '../../serving/auth/credential-directory';
import type { DataHealthWatch } from '../../clients/data-health';
import type { LatestCache } from '../../caches/latest/latest-cache';
import { type FillingProgress, fillingProgress } from '@market-state/telemetry';
import type { LatestSource } from '../../caches/latest/latest-source';

const PROBE_DEADLINE_MS = 2_000;
const PROBE_EVERY_MS = 1_000;

type ReadinessReport = Described<'Readiness'>;
type Dependency = ReadinessReport['dependencies'][number];

export interface ReadinessDeps {
  readonly directory: CredentialDirectory;
  readonly accountHealth: GrpcClient<typeof healthDefinition>;
  readonly source: LatestSource;
  readonly latestCache: LatestCache;
  readonly dataHealth: DataHealthWatch;
  readonly isStopping: () => boolean;
  readonly now: () => number;
  readonly monotonicMs: () => number;
}

export function createReadiness(deps: ReadinessDeps): () => Promise<ReadinessReport> {
  const accountServes = accountProbe(deps);
  const readFilling = fillingWatch(deps);
  return async () => {
    const account = await accountDependency(deps, accountServes);
    const filling = readFilling();
    const dependencies = [account, streamDependency(deps), packetsDependency(deps, filling), dataDependency(deps), ...stopping(deps)];
    const missing = dependencies.filter(({ ready }) => !ready).map(({ name }) => name);
    const status = missing.length === 0 ? 'ready' : 'not_ready';
    return { status, missing, dependencies, ...(filling.length > 0 && { filling }) };
  };
}

/** Time in which the labeler reaches the feed after that has caught up. */
const CAUGHT_UP_MS_MAX = 60_000;

/** Progress of symbols whose history is being filled, until one of their packets is fresh. */
function fillingWatch({ dataHealth, latestCache, now, monotonicMs }: ReadinessDeps): () => FillingProgress[] {
  const known = new Map<string, { readonly fromMs: number; readonly reportedAtMs: number }>();
  return () => {
    for (const { symbol, fromMs } of dataHealth.current().filling) known.set(symbol, { fromMs, reportedAtMs: monotonicMs() });
    return [...known].flatMap(([symbol, { fromMs, reportedAtMs }]) => {
      const packet = latestCache.packet(symbol);
      const isFresh = packet !== undefined && now() < packet.freshUntilMs;
      if (isFresh || monotonicMs() - reportedAtMs > CAUGHT_UP_MS_MAX) known.delete(symbol);
      return isFresh || !known.has(symbol) ? [] : [fillingProgress({ symbol, fromMs, reachedMs: packet?.windowEndMs ?? fromMs }, now())];
    });
  };
}

function stopping({ isStopping }: ReadinessDeps): Dependency[] {
  return isStopping() ? [{ name: 'gateway', ready: false, detail: 'The process is shutting down.' }] : [];
}

/** Health parts that must be serving before keys can be verified: account itself and its database. */
const ACCOUNT_PARTS = [WHOLE_PROCESS, 'postgres'];

/** Queries account's health at most once a second. */
function accountProbe({ accountHealth, monotonicMs }: ReadinessDeps): () => Promise<boolean> {
  let requestedAtMs = Number.NEGATIVE_INFINITY;
  let answer: Promise<boolean> = Promise.resolve(false);
  return () => {
    if (monotonicMs() - requestedAtMs >= PROBE_EVERY_MS) {
      requestedAtMs = monotonicMs();
      const checks = ACCOUNT_PARTS.map((service) => accountHealth.call.check({ service }, { deadlineMs: PROBE_DEADLINE_MS }));
      answer = Promise.all(checks).then(
        (parts) => parts.every(({ status }) => status === 'SERVING'),
        () => false,
      );
    }
    return answer;
  };
}

async function accountDependency({ directory }: ReadinessDeps, accountServes: () => Promise<boolean>): Promise<Dependency> {
  const serves = await accountServes();
  const ready = serves && directory.isWatching();
  const detail = !serves
    ? 'API keys cannot be verified.'
    : ready
      ? 'API keys can be verified; key changes are received.'
      : 'Key changes are not being received.';
  return { name: 'account', ready, detail };
}

function streamDependency({ source }: ReadinessDeps): Dependency {
  const ready = source.isStreaming();
  return { name: 'labeling', ready, detail: ready ? pushesDetail(source.notPushed()) : 'The packet stream is down.' };
}

function pushesDetail(notPushed: readonly string[]): string {
  return notPushed.length === 0 ? 'The packet stream is up.' : `The packet stream is up, but without ${notPushed.join(', ')}.`;
}

/**
 * A recording whose history is filled can always keep up, so its packet must be fresh. A live market may be silent or
 * just recovered, so its last packet is enough. So it is for a symbol not pushed while others are; otherwise no gateway
 * would be ready. An imported symbol is never fresh, and has no packet before its first import.
 */
function packetsDependency({ latestCache, source, dataHealth, now }: ReadinessDeps, filling: readonly FillingProgress[]): Dependency {
  const symbols = latestCache.symbols() ?? [];
  const imported = symbols.filter((symbol) => dataHealth.current().imported.includes(symbol));
  const others = symbols.filter((symbol) => !imported.includes(symbol));
  const stale = others.filter((symbol) => now() >= (latestCache.packet(symbol)?.freshUntilMs ?? 0));
  const excused = new Set([...source.notPushed(), ...filling.map(({ symbol }) => symbol)]);
  const late = stale.filter((symbol) => {
    const packet = latestCache.packet(symbol);
    return packet === undefined || (packet.sourceKind === 'recorded' && !excused.has(symbol));
  });
  const ready = symbols.length > 0 && late.length === 0;
  return { name: 'packets', ready, detail: packetsDetail({ others, imported, stale, late }) };
}

interface PacketSymbols {
  readonly others: readonly string[];
  readonly imported: readonly string[];
  readonly stale: readonly string[];
  readonly late: readonly string[];
}

function packetsDetail({ others, imported, stale, late }: PacketSymbols): string {
  if (others.length + imported.length === 0) return 'No symbols are known yet.';
  const notLive = imported.length === 0 ? [] : [`Imported, not live: ${imported.join(', ')}.`];
  return [
    ...notLive,
    ...(others.length === 0 ? [] : [othersDetail(notLive.length === 0 ? 'Every symbol' : 'Every other symbol', stale, late)]),
  ].join(' ');
}

function othersDetail(every: string, stale: readonly string[], late: readonly string[]): string {
  if (late.length > 0) return `No fresh packet for ${late.join(', ')}.`;
  return stale.length === 0 ? `${every} has a fresh packet.` : `${every} has a packet; not fresh: ${stale.join(', ')}.`;
}

function dataDependency({ dataHealth }: ReadinessDeps): Dependency {
  const { reachable, down } = dataHealth.current();
  const ready = reachable && down.length === 0;
  const detail = !reachable ? 'The data plane is unreachable.' : ready ? 'All components are healthy.' : `Unhealthy: ${down.join(', ')}.`;
  return { name: 'data_plane', ready, detail };
}

export function probeHandlers(readiness: () => Promise<ReadinessReport>): ReadonlyMap<string, RequestHandler> {
  const live: Described<'Liveness'> = { status: 'live' };
  const getLivez: RequestHandler = (req, res) => sendJson(res, requestIdOf(req), 200, live);
  const getReadyz: RequestHandler = async (req, res) => {
    const report = await readiness();
    sendJson(res, requestIdOf(req), report.status === 'ready' ? 200 : 503, report);
  };
  return new Map([
    ['getLivez', getLivez],
    ['getReadyz', getReadyz],
  ]);
}
