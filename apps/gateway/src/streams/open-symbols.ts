import { isServiceError, type ServiceError } from '@market-state/errors';
import { Problem } from '../serving/errors/problem';
import { toUtc } from '../serving/meta/instant';
import { formatPositions, type Positions } from './position';
import type { SymbolReader } from './symbol-reader';

/**
 * Opens the readers of several symbols: all of them, or none. Throws what one of them was refused for; 410 names each symbol whose next
 * messages are no longer kept, and the id by which the others go on without loss.
 */
export async function openSymbols(
  symbols: readonly string[],
  positions: Positions,
  open: (symbol: string) => Promise<SymbolReader>,
): Promise<SymbolReader[]> {
  const tries = await Promise.all(
    symbols.map((symbol) =>
      open(symbol).then(
        (reader) => ({ symbol, reader }),
        (error: unknown) => ({ symbol, error }),
      ),
    ),
  );
  const readers = tries.flatMap((tried) => ('reader' in tried ? [tried.reader] : []));
  const failures = tries.flatMap((tried) => ('error' in tried ? [tried] : []));
  if (failures.length === 0) return readers;
  for (const reader of readers) reader.close();
  const gone = failures.flatMap(({ symbol, error }) => (isGone(error) ? [{ symbol, error }] : []));
  throw failures.find(({ error }) => !isGone(error))?.error ?? beyondRetention(gone, positions);
}

function isGone(error: unknown): error is ServiceError {
  return isServiceError(error) && error.reason === 'beyond_retention';
}

interface Gone {
  readonly symbol: string;
  readonly error: ServiceError;
}

function beyondRetention(gone: readonly Gone[], positions: Positions): Problem {
  const names = gone.map(({ symbol }) => symbol);
  const rest = [...positions].filter(([symbol]) => !names.includes(symbol));
  const oldestMs = gone.map(({ error }) => Number(error.metadata['oldest_ms'] ?? 0));
  return new Problem('beyond_retention', `What follows this id is no longer kept of ${names.join(', ')}.`, {
    members: {
      ...(Math.min(...oldestMs) > 0 ? { oldest_available_utc: toUtc(Math.max(...oldestMs)) } : {}),
      gone: gone.map(({ symbol }, at) => ({ symbol, oldest_available_utc: oldestMs[at] ? toUtc(oldestMs[at]) : null })),
      resume_id: rest.length === 0 ? null : formatPositions(rest),
    },
    cause: gone[0]?.error,
  });
}
