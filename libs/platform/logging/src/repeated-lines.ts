import type { LoggerOptions } from 'pino';

/** Lines of this level and above: `warn`. */
const LEVEL_MIN = 40;
const EVERY_MS = 1_000;
const KINDS_MAX = 1_000;

/** Fields of a line, or of its error, that distinguish kinds of lines with the same message. */
const KIND_FIELDS = ['name', 'code', 'reason', 'method', 'route', 'operation', 'caller', 'service', 'symbol', 'venue', 'queue', 'tool'];

/** Lines of one kind that were suppressed since the last one was written. */
interface Repeated {
  total: number;
  write(repeated: number): void;
}

/**
 * Returns a pino hook that limits warnings and errors to one line per kind and second. The first is written at once; then the newest is
 * written each second, with `repeated`, the number suppressed since. A caller can't flood the log with one error.
 */
export function limitRepeatedLines(): NonNullable<NonNullable<LoggerOptions['hooks']>['logMethod']> {
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
