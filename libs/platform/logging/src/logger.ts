import { currentTraceId } from '@market-state/tracing';
import { type DestinationStream, type Logger as PinoLogger, type LoggerOptions as PinoOptions, pino, stdTimeFunctions } from 'pino';
import { redactLine } from './redaction';
import { currentRequestId } from './request-context';

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** JSON line logger: `logger.info({ field }, 'message')`. */
export type Logger = PinoLogger;

interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default: standard output, written synchronously. */
  readonly destination?: DestinationStream;
}

/**
 * Creates a logger that writes redacted JSON lines with `service`, RFC 3339 `time` and, while a request is served,
 * `request_id` and `trace_id`. Warnings and errors are limited to one line per kind and second, with the number of
 * suppressed lines in `repeated`.
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

/** Logger that writes nothing, for tests and batch runs. */
export function silentLogger(): Logger {
  return pino({ level: 'silent' });
}

/** Limited from this level: `warn`. */
const LEVEL_MIN = 40;
const EVERY_MS = 1_000;
const KINDS_MAX = 1_000;
const KIND_FIELDS = ['name', 'code', 'reason', 'method', 'route', 'operation', 'caller', 'service', 'symbol', 'venue', 'queue', 'tool'];

interface Repeated {
  total: number;
  write(repeated: number): void;
}

/**
 * Pino hook: the first line of a kind is written immediately, then the newest each second, so that one error cannot
 * flood the log.
 */
function limitRepeatedLines(): NonNullable<NonNullable<PinoOptions['hooks']>['logMethod']> {
  const kinds = new Map<string, Repeated>();

  function flushLater(kind: string, repeated: Repeated): void {
    setTimeout(() => {
      if (repeated.total === 0) {
        kinds.delete(kind);
        return;
      }
      repeated.write(repeated.total);
      repeated.total = 0;
      flushLater(kind, repeated);
    }, EVERY_MS).unref();
  }

  return function logMethod(args, method, level) {
    const [first, sentence] = args as readonly unknown[];
    const fields = isRecord(first) ? first : {};
    const kind = level < LEVEL_MIN ? undefined : kindOf(fields, typeof first === 'string' ? first : sentence);
    const known = kind === undefined ? undefined : kinds.get(kind);
    if (known !== undefined) {
      known.total += 1;
      known.write = (repeated) => {
        if (isRecord(first)) Reflect.apply(method, this, [{ ...first, repeated }, sentence]);
        else Reflect.apply(method, this, [{ repeated }, first]);
      };
      return;
    }
    Reflect.apply(method, this, args);
    if (kind === undefined || kinds.size >= KINDS_MAX) return;
    const repeated: Repeated = { total: 0, write: () => undefined };
    kinds.set(kind, repeated);
    flushLater(kind, repeated);
  };
}

function kindOf(fields: Readonly<Record<string, unknown>>, sentence: unknown): string {
  const { err } = fields;
  const sources = isRecord(err) ? [fields, err] : [fields];
  return JSON.stringify([sentence, ...sources.map((source) => KIND_FIELDS.map((field) => source[field] ?? null))]);
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null;
}
