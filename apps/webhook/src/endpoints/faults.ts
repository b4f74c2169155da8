import type { Fault } from '@market-state/errors';
import { controlFaults, lengthFaults, symbolFaults } from '@market-state/request-checks';
import { EVENT_KINDS } from './endpoint';

const DESCRIPTION_LENGTH_MAX = 200;
const SYMBOLS_MAX = 20;

/** Kinds that an endpoint asks for. */
export function eventKindFaults(eventKinds: readonly string[], min: 0 | 1 = 1): Fault[] {
  const field = 'event_kinds';
  const known: readonly string[] = EVENT_KINDS;
  const faults: Fault[] = [];
  if (eventKinds.length < min) faults.push({ field, message: 'must name at least 1 kind', type: 'too_short' });
  if (eventKinds.some((kind) => !known.includes(kind))) faults.push({ field, message: 'must be kinds of message', type: 'unsupported' });
  return [...faults, ...repeatFaults(field, eventKinds)];
}

/** Symbols that an endpoint asks for; none asks for all. */
export function symbolListFaults(symbols: readonly string[]): Fault[] {
  const field = 'symbols';
  const many = symbols.length > SYMBOLS_MAX ? [{ field, message: `must be ${SYMBOLS_MAX} symbols or fewer`, type: 'too_long' }] : [];
  return [...many, ...repeatFaults(field, symbols), ...symbols.flatMap((symbol, index) => symbolFaults(symbol, `${field}[${index}]`))];
}

export function descriptionFaults(description: string): Fault[] {
  return [...lengthFaults('description', description, 0, DESCRIPTION_LENGTH_MAX), ...controlFaults('description', description)];
}

function repeatFaults(field: string, words: readonly string[]): Fault[] {
  return new Set(words).size === words.length ? [] : [{ field, message: 'must name none twice', type: 'duplicate' }];
}
