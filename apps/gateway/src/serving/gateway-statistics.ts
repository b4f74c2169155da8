import { randomUUID } from 'node:crypto';
import type { account, labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { countLatency, MINUTE_MS, minuteOf } from '@market-state/service-figures';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import type { RateClass } from './openapi/document';

/** Maximum minutes queued for an unreachable service. */
const WAITING_MAX = 60;

interface CountedMinute {
  readonly minuteMs: number;
}

/** `sinceMs` is set for a partial minute, or if earlier minutes were lost. */
export interface WaitingMinute<Minute extends CountedMinute> {
  readonly minute: Minute;
  readonly sinceMs: number | undefined;
}

interface HandOnOptions<Minute extends CountedMinute> {
  readonly what: string;
  /** Oldest first; must be idempotent. */
  readonly send: (waiting: readonly WaitingMinute<Minute>[]) => Promise<unknown>;
  readonly sinceMs: number;
  readonly logger: Logger;
  /** Number of queued minutes. */
  readonly onWaiting: (minutes: number) => void;
}

interface HandOn<Minute extends CountedMinute> {
  add(minute: Minute): Promise<void>;
}

export function createHandOn<Minute extends CountedMinute>({
  what,
  send,
  sinceMs,
  logger,
  onWaiting,
}: HandOnOptions<Minute>): HandOn<Minute> {
  let waiting: WaitingMinute<Minute>[] = [];
  let nextSinceMs: number | undefined = sinceMs;

  return {
    async add(minute) {
      waiting.push({ minute, sinceMs: nextSinceMs });
      nextSinceMs = undefined;
      const lost = waiting.length - WAITING_MAX;
      if (lost > 0) {
        waiting = waiting.slice(lost).map((each, index) => (index === 0 ? { ...each, sinceMs: each.minute.minuteMs } : each));
        logger.error({ what, minutes: lost }, 'minutes of service statistics are lost');
      }
      const taken = [...waiting];
      try {
        await send(taken);
        waiting = waiting.filter((each) => !taken.includes(each));
      } catch (error) {
        logger.warn({ what, minutes: taken.length, err: error }, 'service statistics could not be sent yet');
      }
      onWaiting(waiting.length);
    },
  };
}

export interface GatewayStatistics extends Closable {
  /** 0 if the caller disconnected first. */
  answered(rateClass: RateClass, status: number): void;
  /** Delays since the packet was made, and since the tick that closed its window. */
  packet(symbol: string, afterMakingMs: number, afterTickMs: number): void;
}

interface GatewayStatisticsDeps {
  readonly readFigures: { readonly call: Pick<GrpcClient<account.ReadFiguresServiceService>['call'], 'recordReadMinutes'> };
  readonly packets: { readonly call: Pick<GrpcClient<labeling.LabelingServiceService>['call'], 'recordGatewayMinutes'> };
  readonly symbols: () => readonly string[];
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'registry'>;
  readonly now: () => number;
}

const READ_CLASSES = ['metered', 'account', 'public', 'static'] as const;

interface Counts {
  answered: number;
  failed: number;
}

interface Latencies {
  readonly packetToGateway: number[];
  readonly closingTickToGateway: number[];
}

interface Minute {
  readonly minuteMs: number;
  readonly reads: Readonly<Record<RateClass, Counts>>;
  readonly latencies: Map<string, Latencies>;
}

/** Counting is one addition; the work per minute runs separately. */
export function createGatewayStatistics({ readFigures, packets, symbols, logger, metrics, now }: GatewayStatisticsDeps): GatewayStatistics {
  const waiting = new Gauge({
    name: 'gateway_figures_waiting_minutes',
    help: 'Minutes of statistics not sent yet; above 60 the oldest are lost.',
    labelNames: ['what'],
    registers: [metrics.registry],
  });
  function waits(what: string) {
    const onWaiting = (minutes: number): void => waiting.set({ what }, minutes);
    onWaiting(0);
    return { what, onWaiting };
  }
  const counterId = randomUUID();
  const sinceMs = now();
  const reads = createHandOn<Minute>({
    ...waits('reads'),
    send: (waiting) => readFigures.call.recordReadMinutes({ counterId, minutes: waiting.flatMap(readMinutes) }),
    sinceMs,
    logger,
  });
  const latencies = createHandOn<Minute>({
    ...waits('packets'),
    async send(waiting) {
      for (const minutes of latencyCalls(waiting)) await packets.call.recordGatewayMinutes({ counterId, minutes });
    },
    sinceMs,
    logger,
  });
  let current = emptyMinute(minuteOf(now()));

  /** Closes the minute unless the clock is still in it. */
  async function turn(isLast: boolean): Promise<void> {
    const nextMs = minuteOf(now());
    if (nextMs <= current.minuteMs && !isLast) return;
    const ended = current;
    current = emptyMinute(nextMs);
    for (const symbol of symbols()) latenciesOf(ended, symbol);
    await Promise.all([reads.add(ended), latencies.add(ended)]);
  }

  const turning = runUntilClosed(async (signal) => {
    while (!signal.aborted) {
      await delay(MINUTE_MS - (now() % MINUTE_MS), signal).catch(() => undefined);
      if (!signal.aborted) await turn(false);
    }
    await turn(true);
  });

  return {
    answered(rateClass, status) {
      const counts = current.reads[rateClass];
      if (status >= 500) counts.failed += 1;
      else if (status === 101 || status === 304 || (status >= 200 && status < 300)) counts.answered += 1;
    },
    packet(symbol, afterMakingMs, afterTickMs) {
      const { packetToGateway, closingTickToGateway } = latenciesOf(current, symbol);
      countLatency(packetToGateway, afterMakingMs);
      countLatency(closingTickToGateway, afterTickMs);
    },
    close: () => turning.close(),
  };
}

function emptyMinute(minuteMs: number): Minute {
  const none = (): Counts => ({ answered: 0, failed: 0 });
  return { minuteMs, reads: { metered: none(), account: none(), public: none(), static: none(), agent: none() }, latencies: new Map() };
}

function latenciesOf({ latencies }: Minute, symbol: string): Latencies {
  const known = latencies.get(symbol) ?? { packetToGateway: [], closingTickToGateway: [] };
  latencies.set(symbol, known);
  return known;
}

function readMinutes({ minute: { minuteMs, reads }, sinceMs }: WaitingMinute<Minute>): account.ReadMinute[] {
  return READ_CLASSES.map((rateClass) => ({ minuteMs, rateClass, sinceMs, ...reads[rateClass] }));
}

/** Labeling accepts no more per call; an hour of 167 symbols has more. */
const MINUTES_PER_CALL_MAX = 10_000;

export function latencyCalls(waiting: readonly WaitingMinute<Pick<Minute, 'minuteMs' | 'latencies'>>[]): labeling.GatewayMinute[][] {
  const minutes = waiting.flatMap(({ minute: { minuteMs, latencies } }) =>
    [...latencies].map(([symbol, counts]) => ({ symbol, minuteMs, ...counts })),
  );
  const calls = Math.ceil(minutes.length / MINUTES_PER_CALL_MAX);
  return Array.from({ length: calls }, (_, call) => minutes.slice(call * MINUTES_PER_CALL_MAX, (call + 1) * MINUTES_PER_CALL_MAX));
}
