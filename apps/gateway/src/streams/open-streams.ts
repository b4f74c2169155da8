import type { IncomingMessage, ServerResponse } from 'node:http';
import { unavailable } from '@market-state/errors';
import { createCloser } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import type { Metrics } from '@market-state/telemetry';
import type { Upstreams } from '../clients/upstreams';
import type { CallContext, StreamSource } from '../serving/answers/handler';
import { credentialOf } from '../serving/auth/authorise';
import type { CredentialDirectory } from '../serving/auth/credential-directory';
import type { Grant } from '../serving/auth/credentials';
import { createKeyGuard, type KeyGuard } from '../serving/auth/key-guard';
import { Problem, unauthenticated } from '../serving/errors/problem';
import { chargeOnDelivery } from '../serving/http/request-lifetime';
import type { OpenCharge } from '../serving/metering/meter';
import type { Operation } from '../serving/openapi/operations';
import { isUpgrade } from '../serving/server/matched-server';
import { STREAM_LIMITS } from './limits';
import { createPacketHub, type PacketHub } from './packet-hub';
import { createRowHubs, type RowHubs } from './row-hubs';
import { createStreamMetrics, sendStream, type StreamMetrics } from './send-stream';
import { type EndCode, openEventStream, openWebSocket, writeStreamHead } from './transport';

/** A long poll counts as `live`. */
type StreamKind = 'live' | 'replay';

export interface StreamCounts {
  /**
   * Counts a stream until the returned function is called.
   * @throws {Problem} 429 at a limit of the plan, 503 at this gateway's limit or while it stops
   */
  enter(grant: Grant | null, kind: StreamKind): () => void;
  total(): number;
  stop(): void;
}

interface Counts {
  live: number;
  replay: number;
}

const TRY_AGAIN = { 'Retry-After': '5' };

function refusePlan(most: number, what: string): never {
  throw new Problem('limit_reached', `Your plan allows ${most} ${what} at a time, and all are in use. Nothing was charged.`, {
    headers: TRY_AGAIN,
  });
}

export function createStreamCounts(): StreamCounts {
  const byTenant = new Map<string, Counts>();
  let total = 0;
  let stopping = false;

  function refuseFull(paying: boolean): void {
    if (total < (paying ? STREAM_LIMITS.streamsMax : STREAM_LIMITS.streamsMax - STREAM_LIMITS.streamsKeptForPaying)) return;
    throw new Problem('overloaded', 'Stream limit of this service reached. Retry later. Nothing was charged.', {
      headers: TRY_AGAIN,
    });
  }

  return {
    enter(grant, kind) {
      if (stopping) throw unavailable('stopping', 'The service is stopping.');
      if (grant === null) throw unauthenticated();
      const { tenantId, plan } = grant;
      const counts = byTenant.get(tenantId) ?? { live: 0, replay: 0 };
      if (counts.live + counts.replay >= plan.limits.streams) refusePlan(plan.limits.streams, 'streams');
      if (kind === 'replay' && counts.replay >= plan.limits.replays) refusePlan(plan.limits.replays, 'replays');
      refuseFull(plan.paying);
      byTenant.set(tenantId, counts);
      counts[kind] += 1;
      total += 1;
      let left = false;
      return () => {
        if (left) return;
        left = true;
        counts[kind] -= 1;
        total -= 1;
        if (counts.live + counts.replay === 0) byTenant.delete(tenantId);
      };
    },
    total: () => total,
    stop() {
      stopping = true;
    },
  };
}

interface StreamRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly operation: Operation;
  readonly charge: OpenCharge | null;
  readonly headers: readonly string[];
}

export interface OpenStreams {
  /** @throws {Problem} 429 at a limit of the plan, 503 at this gateway's limit or while it stops */
  admit(grant: Grant | null, kind: StreamKind, open: () => Promise<StreamSource>): Promise<StreamSource>;
  /**
   * Counts a long poll as a live stream. The signal aborts on shutdown and once the credential has ended.
   * @throws {Problem} 401 if the credential ended; ServiceError UNAVAILABLE if it can no longer be verified
   */
  wait<T>(call: Pick<CallContext, 'grant' | 'credential' | 'operation'>, work: (ending: AbortSignal) => Promise<T>): Promise<T>;
  serve(request: StreamRequest, source: StreamSource): Promise<void>;
  total(): number;
  /** Ends every stream with its last message. */
  close(): Promise<void>;
}

interface OpenStreamsDeps {
  readonly guard: KeyGuard;
  readonly logger: Logger;
  readonly metrics: StreamMetrics;
}

function createOpenStreams({ guard, logger, metrics }: OpenStreamsDeps): OpenStreams {
  const counts = createStreamCounts();
  const running = new Set<{ readonly end: (code: EndCode) => void; readonly done: Promise<unknown> }>();
  let stopping = false;

  async function run(
    { req, res, requestId, operation, charge, headers }: StreamRequest,
    source: StreamSource,
    ending: AbortController,
  ): Promise<void> {
    const meter = charge?.stream() ?? null;
    const credential = credentialOf(req.headers, operation);
    const end = (code: EndCode): void => ending.abort(code);
    const unwatch =
      credential !== null
        ? guard.watch(credential, operation.scope, (loss) => end(loss === 'revoked' ? 'key_revoked' : 'key_unverified'))
        : undefined;
    metrics.clients.inc({ route: operation.path });
    try {
      req.socket.setKeepAlive(true, STREAM_LIMITS.heartbeatMs);
      req.socket.setNoDelay(true);
      const transport = (isUpgrade(req) ? openWebSocket : openEventStream)(res, requestId, headers);
      if (transport !== null) await sendStream(transport, source, { logger, metrics, route: operation.path, meter, ending: ending.signal });
    } finally {
      meter?.end();
      unwatch?.();
      metrics.clients.dec({ route: operation.path });
      source.close();
    }
  }

  return {
    async admit(grant, kind, open) {
      const leave = counts.enter(grant, kind);
      try {
        const source = await open();
        const close = (): void => {
          source.close();
          leave();
        };
        return { ...source, close };
      } catch (error) {
        leave();
        throw error;
      }
    },
    async wait({ grant, credential, operation }, work) {
      const leave = counts.enter(grant, 'live');
      const ending = new AbortController();
      let lost: Error | undefined;
      const unwatch =
        credential === null
          ? undefined
          : guard.watch(credential, operation.scope, (loss) => {
              lost =
                loss === 'revoked' ? unauthenticated() : unavailable('upstream_unavailable', 'The credential cannot be verified. Retry.');
              ending.abort();
            });
      const done = work(ending.signal);
      const entry = { end: (code: EndCode) => ending.abort(code), done };
      running.add(entry);
      try {
        const answer = await done;
        if (lost !== undefined) throw lost;
        return answer;
      } finally {
        running.delete(entry);
        unwatch?.();
        leave();
      }
    },
    async serve(request, source) {
      const { req, res, requestId, charge, headers } = request;
      if (req.method === 'HEAD' || res.destroyed) {
        source.close();
        if (res.destroyed) {
          charge?.cancel();
          return;
        }
        writeStreamHead(res, requestId, [...headers, ...(charge?.settle(0, 200) ?? [])]);
        res.end();
        if (charge !== null) chargeOnDelivery(charge, req, res);
        return;
      }
      const ending = new AbortController();
      const done = run(request, source, ending);
      const entry = { end: (code: EndCode) => ending.abort(code), done };
      running.add(entry);
      if (stopping) entry.end('service_stopping');
      await done.finally(() => running.delete(entry));
    },
    total: () => counts.total(),
    async close() {
      stopping = true;
      counts.stop();
      for (const { end } of running) end('service_stopping');
      await Promise.allSettled([...running].map(({ done }) => done));
    },
  };
}

interface StreamsDeps {
  readonly upstreams: Upstreams;
  readonly directory: CredentialDirectory;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly monotonicMs: () => number;
}

export interface Streams {
  readonly open: OpenStreams;
  readonly guard: KeyGuard;
  readonly packets: PacketHub;
  readonly hubs: RowHubs;
  /** Open streams end before. */
  close(): Promise<void>;
}

export function createStreams({ upstreams, directory, logger, metrics, monotonicMs }: StreamsDeps): Streams {
  const closer = createCloser();
  const { liveRows } = upstreams;
  const packets = createPacketHub({ packets: upstreams.packets, logger });
  closer.add('packet hub', () => packets.close());
  const hubs = createRowHubs({ rows: liveRows, packets, logger });
  closer.add('row hubs', () => hubs.close());
  const guard = createKeyGuard({ directory, logger, monotonicMs, unknownMsMax: STREAM_LIMITS.keyUnknownMs });
  closer.add('key guard', () => guard.close());
  const open = createOpenStreams({ guard, logger, metrics: createStreamMetrics(metrics) });
  return {
    open,
    guard,
    packets,
    hubs,
    close: () => closer.close(),
  };
}
