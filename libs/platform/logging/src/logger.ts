import { currentTraceId } from '@market-state/tracing';
import { type DestinationStream, type Logger as PinoLogger, pino, stdTimeFunctions } from 'pino';
import { redactLine } from './redaction';
import { limitRepeatedLines } from './repeated-lines';
import { currentRequestId } from './request-context';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** A JSON line logger: `logger.info({ field }, 'sentence')`. */
export type Logger = PinoLogger;

export interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Where lines go; default is standard output, written at once. */
  readonly destination?: DestinationStream;
}

/**
 * A logger that writes one JSON object a line with `service`, an RFC 3339 `time` and, while a request is served, its
 * `request_id` and, where traces are made, its `trace_id`. Every line passes the redaction module before it is written. Warnings
 * and errors are limited to one line per kind and second, with `repeated`, the number of lines it stands for.
 */
export function createLogger(service: string, options: LoggerOptions = {}): Logger {
  return pino(
    {
      level: options.level ?? 'info',
      base: { service },
      timestamp: stdTimeFunctions.isoTime,
      formatters: { level: (label) => ({ level: label }) },
      mixin: () => {
        const [requestId, traceId] = [currentRequestId(), currentTraceId()];
        return { ...(requestId === undefined ? {} : { request_id: requestId }), ...(traceId === undefined ? {} : { trace_id: traceId }) };
      },
      hooks: { streamWrite: redactLine, logMethod: limitRepeatedLines() },
    },
    options.destination ?? pino.destination({ fd: 1, sync: true }),
  );
}

/** A logger that writes nothing, for tests and batch runs. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}
