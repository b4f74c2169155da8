const quietMs = 10_000;
const told = new Set<unknown>(['error', 'fatal']);

interface LogLine {
  level?: unknown;
  msg?: unknown;
  err?: { message?: unknown };
  /** Settings that are not valid, of a ConfigError. */
  faults?: unknown;
}

/**
 * Tells a person of the errors in a process's JSON log: one line each, the same one at most every 10 s.
 * @param now milliseconds that only rise
 */
export function createErrorSummary(name: string, say: (line: string) => void, now: () => number): (line: string) => void {
  const saidAt = new Map<string, number>();
  return (line) => {
    const text = errorIn(line);
    if (text === undefined) return;
    const at = now();
    if (at - (saidAt.get(text) ?? -Infinity) < quietMs) return;
    saidAt.set(text, at);
    say(`${name}: ${text}`);
  };
}

function errorIn(line: string): string | undefined {
  if (!line.startsWith('{')) return undefined;
  try {
    const { level, msg, err, faults } = JSON.parse(line) as LogLine;
    if (!told.has(level)) return undefined;
    return [msg, err?.message, faultsIn(faults)].filter((part) => typeof part === 'string' && part !== '').join(': ');
  } catch {
    return undefined;
  }
}

function faultsIn(faults: unknown): string {
  if (!Array.isArray(faults)) return '';
  return (faults as readonly Partial<Record<'variable' | 'message', unknown>>[])
    .map(({ variable, message }) => `${String(variable)}: ${String(message)}`)
    .join('; ');
}
