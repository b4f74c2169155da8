import { ConfigError, type Environment, tracesEndpointOf } from '@market-state/config';
import { createLogger } from '@market-state/logging';
import { type OpenTracing, openTracing } from '@market-state/tracing';
import type { Closable } from './closer';
import { setFlagsFromString } from 'node:v8';

/** Exit code for an invalid configuration (EX_CONFIG of sysexits.h): an unchanged restart cannot help. */
export const CONFIG_EXIT_CODE = 78;

const CLOSE_LIMIT_MS = 29_000;

/**
 * Body of every `main.ts`: starts the service, closes it on SIGTERM or SIGINT, and exits with 0. `signal` aborts if a
 * stop is requested during `start`. Failures are logged and exit with 1, a ConfigError with `CONFIG_EXIT_CODE`.
 */
export function runMain(service: string, start: (env: Environment, signal: AbortSignal) => Promise<Closable>): void {
  const logger = createLogger(service);
  const stop = new AbortController();
  let ending = false;
  let running: Closable | undefined;
  let tracing: OpenTracing | undefined;
  let started: Promise<void> = Promise.resolve();

  async function end(exitCode: number): Promise<void> {
    if (ending) return;
    ending = true;
    stop.abort(new Error('shutting down'));
    setTimeout(() => {
      logger.fatal('closing took too long');
      process.exit(1);
    }, CLOSE_LIMIT_MS).unref();
    try {
      await started;
      await running?.close();
      await tracing?.close();
      process.exit(exitCode);
    } catch (error) {
      logger.error({ err: error }, 'closing failed');
      process.exit(1);
    }
  }

  process.on('SIGTERM', () => void end(0));
  process.on('SIGINT', () => void end(0));
  process.on('unhandledRejection', (error) => {
    logger.fatal({ err: error }, 'unhandled rejection');
    void end(1);
  });
  process.on('uncaughtException', (error) => {
    logger.fatal({ err: error }, 'uncaught exception');
    void end(1);
  });

  async function begin(): Promise<Closable> {
    tracing = await openTracing({
      service,
      endpoint: tracesEndpointOf(process.env),
      onLost: ({ name, message }) => logger.warn({ reason: `${name}: ${message}` }, 'sending traces failed'),
    });
    return start(process.env, stop.signal);
  }

  returnMemoryWhenIdle();
  started = Promise.resolve()
    .then(begin)
    .then(
      (closable) => {
        running = closable;
      },
      (error: unknown) => {
        if (stop.signal.aborted) return;
        if (error instanceof ConfigError) {
          logger.fatal({ faults: error.faults }, 'configuration is not valid');
          process.exit(CONFIG_EXIT_CODE);
        }
        logger.fatal({ err: error }, 'start failed');
        process.exit(1);
      },
    );
}

const CHECK_MS = 30_000;
const BUSY_SHARE_MAX = 0.2;
/** More than a heap grows between two collections. */
const GROWTH_BYTES_MIN = 32 * 1_024 * 1_024;
/** Checks between two reductions, and before the first: a start's work should be over. */
const APART = 10;
const BEFORE_FIRST = 3;
/** V8's memory reducer runs every 8 s. */
const REDUCING_MS = 10_000;

interface MemoryReadings {
  /** Busy share of the event loop since the last call, 0 to 1. */
  busyShare(): number;
  residentBytes(): number;
  reduce(): void;
}

/**
 * Returns a check that reduces memory when the process is idle: the first time after its start, then whenever it has
 * grown by 32 MiB, at most every ten checks.
 */
export function createMemoryCheck({ busyShare, residentBytes, reduce }: MemoryReadings): () => void {
  let checks = APART - BEFORE_FIRST;
  let leastBytes = 0;
  return () => {
    checks += 1;
    const bytes = residentBytes();
    leastBytes = Math.min(leastBytes, bytes);
    if (busyShare() > BUSY_SHARE_MAX || checks <= APART || bytes - leastBytes < GROWTH_BYTES_MIN) return;
    checks = 0;
    leastBytes = bytes;
    reduce();
  };
}

/**
 * V8 keeps the pages that a burst of work has freed: 60 MiB in a process that has filled an hour of history. Its memory
 * reducer would return them by incremental collections, but acts only in a background process or one that is optimized
 * for size, so this one is for a moment. A collection of last resort would block the process for 100 ms.
 */
export function reduceMemory(reducingMs = REDUCING_MS): void {
  setFlagsFromString('--optimize-for-size');
  setTimeout(() => setFlagsFromString('--no-optimize-for-size'), reducingMs).unref();
}

/** Returns memory after bursts of work for as long as the process runs. */
function returnMemoryWhenIdle(): void {
  let before = performance.eventLoopUtilization();
  const check = createMemoryCheck({
    busyShare() {
      const now = performance.eventLoopUtilization();
      const { utilization } = performance.eventLoopUtilization(now, before);
      before = now;
      return utilization;
    },
    residentBytes: () => process.memoryUsage.rss(),
    reduce: reduceMemory,
  });
  setInterval(check, CHECK_MS).unref();
}
