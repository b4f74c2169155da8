import type { EventFilter } from '../events/event';

/** Conditions of a statement, and the values they speak of. */
export interface Conditions {
  /** SQL. */
  readonly text: string;
  readonly values: readonly unknown[];
}

/** A filter as conditions on table `event`. Words, tags and values are one question to one index. */
export function conditionsOf(filter: EventFilter): Conditions {
  const { symbol, fromMs, toMs, asOfMs } = filter;
  const lexemes = lexemesOf(filter);
  const wanted: readonly (readonly [condition: string, value: unknown])[] = [
    ['symbol =', symbol],
    ['window_end_ms >=', fromMs],
    ['window_end_ms <', toMs],
    // Known by then, so ended by then: the second condition is what an index is read by.
    ['known_ts_ms <=', asOfMs],
    ['window_end_ms <=', asOfMs],
    ['words @@', lexemes.length === 0 ? null : lexemes.map(quoted).join(' & ')],
  ];
  const given = wanted.filter(([, value]) => value !== null);
  const parts = given.map(([condition], index) => `${condition} $${index + 1}${condition === 'words @@' ? '::tsquery' : ''}`);
  return { text: parts.length === 0 ? 'true' : parts.join(' AND '), values: given.map(([, value]) => value) };
}

function lexemesOf({ words, tags, values }: EventFilter): string[] {
  return [...words, ...tags, ...Object.entries(values).map(([column, value]) => `${column}=${value}`)];
}

/** A lexeme in a text of type `tsquery`. */
function quoted(lexeme: string): string {
  return `'${lexeme.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
}
