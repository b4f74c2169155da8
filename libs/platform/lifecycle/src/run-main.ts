import { ConfigError, type Environment, tracesEndpointOf } from '@market-state/config';
import { createLogger } from '@market-state/logging';
import { type OpenTracing, openTracing } from '@market-state/tracing';
import type { Closable } from './closer';

/** Exit code of a process whose configuration is not valid (EX_CONFIG of sysexits.h): restarting it unchanged can't help. */
export const CONFIG_EXIT_CODE = 78;

/** After this long, a hanging close is abandoned and the process ends with code 1. */
const CLOSE_LIMIT_MS = 29_000;

/**
 * The body of every `main.ts`: starts the service with the environment, waits for SIGTERM or SIGINT, closes, and exits
 * with 0. Its traces are sent to the collector that the environment names. `signal` aborts when a stop is asked for while `start` still
 * waits for its dependencies. A start that fails, an unhandled rejection or an uncaught exception is logged and ends the process with code
 * 1; a ConfigError is logged with all its faults and ends it with `CONFIG_EXIT_CODE`.
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
    stop.abort(new Error('the process was told to stop'));
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
      onLost: ({ name, message }) => logger.warn({ reason: `${name}: ${message}` }, 'traces could not be sent'),
    });
    return start(process.env, stop.signal);
  }

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
