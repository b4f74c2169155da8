import { currentTraceId } from '@market-state/tracing';
import { type DestinationStream, type Logger as PinoLogger, type LoggerOptions as PinoOptions, pino, stdTimeFunctions } from 'pino';
import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';

/** Preserved across every await. */
export interface RequestContext {
  /** Included in log lines and outgoing calls. */
  readonly requestId: string;
  /** Wall-clock deadline of the response. */
  readonly deadlineMs?: number;
  /** Aborts when the caller gives up or the deadline passes. */
  readonly signal?: AbortSignal;
  /** Its calls to other services share a limit. */
  readonly tenantId?: string;
}

const storage = new AsyncLocalStorage<RequestContext>();

export function withRequestContext<T>(context: RequestContext, work: () => T): T {
  return storage.run(context, work);
}

/** Undefined outside of a request. */
export function currentRequestContext(): RequestContext | undefined {
  return storage.getStore();
}

export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}

const SANE_REQUEST_ID = /^[A-Za-z0-9._:-]{1,128}$/;

/** Returns the caller's request id if valid (1..128 letters, digits, `.`, `_`, `:`, `-`), else a random one. */
export function requestIdOr(candidate: string | undefined): string {
  return candidate !== undefined && SANE_REQUEST_ID.test(candidate) ? candidate : randomUUID();
}

const REDACTED = '[redacted]';

/** Properties with secret values, anywhere in a log line. Ignores case, `-` and `_`. */
const SECRET_PROPERTY =
  /"((?:x[-_]?)?api[-_]?key|authorization|proxy[-_]authorization|(?:set[-_])?cookie|password|pass(?:phrase)?|secret|[a-z_-]*[-_]?(?:secret|token|password)|private[-_]?key|routing[-_]?key|session(?:[-_]?id)?|key)":("(?:[^"\\]|\\.)*"|\[[^\]]*\])/gi;

const SECRET_SHAPES: readonly (readonly [RegExp, string])[] = [
  [/\b(msk_(?:live|test)_)[0-9A-Za-z]+/g, `$1${REDACTED}`],
  [/\b(whsec_)[0-9A-Za-z+/=_-]+/g, `$1${REDACTED}`],
  [/\b(svc_market_state_session=)[^;\s"\\]+/g, `$1${REDACTED}`],
  [/(\/services\/T\w{1,20}\/B\w{1,20}\/|\/webhooks\/\d{1,20}\/)[^\s"\\]+/g, `$1${REDACTED}`],
  [/(:\/\/[^/\s"\\]{1,253}\/hooks\/)[^\s"\\]+/g, `$1${REDACTED}`],
  [/(\/bot\d{1,20}:)[\w-]{20,}/g, `$1${REDACTED}`],
  [/\b(Bearer|Basic) [0-9A-Za-z._~+/=-]+/g, `$1 ${REDACTED}`],
  [/(:\/\/[^:@/\s"]*:)[^@/\s"]+@/g, `$1${REDACTED}@`],
];

/** Finds secrets by their format: keys, signing secrets, cookies, URL passwords, tokens in addresses of chats. */
export function redactText(text: string): string {
  let clean = text;
  for (const [shape, replacement] of SECRET_SHAPES) clean = clean.replace(shape, replacement);
  return clean;
}

/** Redacts by property name and by format, in linear time. */
function redactLine(line: string): string {
  return redactText(line.replace(SECRET_PROPERTY, (_match, property: string) => `"${property}":"${REDACTED}"`));
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace' | 'silent';

/** JSON line logger: `logger.info({ field }, 'message')`. */
export type Logger = PinoLogger;

interface LoggerOptions {
  /** Default `info`. */
  readonly level?: LogLevel;
  /** Default: standard output, synchronously. */
  readonly destination?: DestinationStream;
}

/**
 * Writes redacted JSON lines with `service`, RFC 3339 `time` and, while a request is served, `request_id` and `trace_id`. Warnings and
 * errors are limited to one line per kind and second, with the number of suppressed lines in `repeated`.
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

/** The first line of a kind is written immediately, then the newest each second, so that one error cannot flood the log. */
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
