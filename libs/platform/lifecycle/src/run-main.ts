import { ConfigError, type Environment, tracesEndpointOf } from '@market-state/config';
import { createLogger } from '@market-state/logging';
import { type OpenTracing, openTracing } from '@market-state/tracing';
import type { Closable } from './closer';
import { returnMemoryWhenIdle } from './return-memory';

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
