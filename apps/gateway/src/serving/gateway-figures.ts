import { randomUUID } from 'node:crypto';
import type { account, labeling } from '@market-state/contracts';
import type { GrpcClient } from '@market-state/grpc';
import { type Closable, delay, runUntilClosed } from '@market-state/lifecycle';
import type { Logger } from '@market-state/logging';
import { countLatency, MINUTE_MS, minuteOf } from '@market-state/service-figures';
import type { Metrics } from '@market-state/telemetry';
import { Gauge } from 'prom-client';
import type { RateClass } from './openapi/document';

/** Minutes that wait for a service that cannot be reached, at most: an hour. */
const WAITING_MAX = 60;

/** A minute that is to be handed on. */
interface CountedMinute {
  /** Start of the minute, milliseconds since the epoch. */
  readonly minuteMs: number;
}

/** A minute, and since when it is counted where that is not all of it, or where the minutes before it were lost. */
export interface WaitingMinute<Minute extends CountedMinute> {
  readonly minute: Minute;
  readonly sinceMs: number | undefined;
}

interface HandOnOptions<Minute extends CountedMinute> {
  /** What is counted, for the log. */
  readonly what: string;
  /** Hands minutes on, oldest first; what has been handed on may come again. */
  readonly send: (waiting: readonly WaitingMinute<Minute>[]) => Promise<unknown>;
  /** Since when the first minute is counted. */
  readonly sinceMs: number;
  readonly logger: Logger;
  /** Told how many minutes wait, whenever that may have changed. */
  readonly onWaiting: (minutes: number) => void;
}

/** Hands minutes on to a service, those first that it could not take before. */
interface HandOn<Minute extends CountedMinute> {
  /** Resolves when the service has taken all that waits, or could not. Never rejects. */
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
        logger.error({ what, minutes: lost }, 'figures of minutes are lost');
      }
      const taken = [...waiting];
      try {
        await send(taken);
        waiting = waiting.filter((each) => !taken.includes(each));
      } catch (error) {
        logger.warn({ what, minutes: taken.length, err: error }, 'figures could not be handed on yet');
      }
      onWaiting(waiting.length);
    },
  };
}

/** What this gateway counts: how long packets took to reach it, and how reads were answered. It hands it on once a minute. */
export interface GatewayFigures extends Closable {
  /** A read was answered with this status; 0: its caller left before there was an answer. */
  answered(rateClass: RateClass, status: number): void;
  /** A new packet of a symbol came so long after it was made, and after the tick that closed its window, milliseconds. */
  packet(symbol: string, afterMakingMs: number, afterTickMs: number): void;
}

interface GatewayFiguresDeps {
  readonly readFigures: { readonly call: Pick<GrpcClient<account.ReadFiguresServiceService>['call'], 'recordReadMinutes'> };
  readonly packets: { readonly call: Pick<GrpcClient<labeling.LabelingServiceService>['call'], 'recordGatewayMinutes'> };
  /** The symbols served: each has figures of every minute, packets or not. */
  readonly symbols: () => readonly string[];
  readonly logger: Logger;
  readonly metrics: Pick<Metrics, 'registry'>;
  /** Wall clock, milliseconds since the epoch. */
  readonly now: () => number;
}

/** Classes of routes that have reads. */
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

/** Counting takes an addition; what is done once a minute is done apart. A minute that cannot be handed on waits, for an hour at most. */
export function createGatewayFigures({ readFigures, packets, symbols, logger, metrics, now }: GatewayFiguresDeps): GatewayFigures {
  const waiting = new Gauge({
    name: 'gateway_figures_waiting_minutes',
    help: 'Minutes of figures that could not be handed on yet; those over 60 are lost, the oldest first.',
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
    send: (waiting) => packets.call.recordGatewayMinutes({ counterId, minutes: waiting.flatMap(gatewayMinutes) }),
    sinceMs,
    logger,
  });
  let current = emptyMinute(minuteOf(now()));

  /** Ends the minute, unless the clock shows it still. */
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
      else if (status === 304 || (status >= 200 && status < 300)) counts.answered += 1;
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

function gatewayMinutes({ minute: { minuteMs, latencies } }: WaitingMinute<Minute>): labeling.GatewayMinute[] {
  return [...latencies].map(([symbol, counts]) => ({ symbol, minuteMs, ...counts }));
}
