import { compareDecimals } from '../decimal';
import type { InstrumentRow } from '../played-instrument';

interface Choosable {
  readonly symbol: string;
  readonly row?: Pick<InstrumentRow, 'venue' | 'venueInstrument' | 'facts'>;
}

const SUFFIX = 'USD-PERP';
const TOP = /^top:([1-9][0-9]{0,4})$/;
const NAMED_MAX = 40;

/** True if the words select from a table rather than name symbols, so that the table should be the venue's whole list. */
export function selectsFromTable(words: readonly string[]): boolean {
  return words.some((word) => word === 'all' || word.startsWith('top:') || word.startsWith('!') || word.includes('*'));
}

/**
 * Chooses by words: `all`, a symbol (`BTCUSD-PERP`), a coin (`BTC`), either at one venue (`BTC@okx`), a pattern with `*` for
 * any of these or the venue's name, `top:50` by 24-hour volume. A leading `!` excludes. Only exclusions: all others.
 * @returns the chosen ones in the given order, and one sentence for each word that cannot be followed
 */
export function chooseSymbols<Each extends Choosable>(
  words: readonly string[],
  known: readonly Each[],
): { readonly chosen: readonly Each[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const excluded = words.filter((word) => word.startsWith('!')).map((word) => word.slice(1));
  const included = words.filter((word) => !word.startsWith('!'));
  const left = known.filter((each) => !excluded.some((word) => matches(word, each)));
  const unknown: string[] = [];
  const chosen = new Set<Each>();
  for (const word of included.length === 0 ? ['all'] : new Set(included)) {
    const count = Number(TOP.exec(word)?.[1] ?? 0);
    if (word.startsWith('top:') && count === 0) faults.push(`${word}: must be top: and a whole number from 1, such as top:50`);
    else if (count > 0 && !left.some((each) => each.row?.facts?.dayVolumeUsd !== undefined))
      faults.push(`${word}: the instrument table has no day volumes; make one with market-state instruments`);
    else if (count > 0) for (const each of left.toSorted(byVolume).slice(0, count)) chosen.add(each);
    else {
      for (const each of left) if (word === 'all' || matches(word, each)) chosen.add(each);
      if (word !== 'all' && !known.some((each) => matches(word, each))) unknown.push(word);
    }
  }
  if (unknown.length > 0) faults.push(`unknown symbol: ${unknown.join(', ')}; known: ${namesOf(known)}`);
  return { chosen: known.filter((each) => chosen.has(each)), faults };
}

function namesOf(known: readonly Choosable[]): string {
  const names = known.slice(0, NAMED_MAX).map(({ symbol }) => symbol);
  return [...names, ...(known.length > NAMED_MAX ? [`and ${known.length - NAMED_MAX} more`] : [])].join(', ') || 'none';
}

function matches(word: string, { symbol, row }: Choosable): boolean {
  const ours = [symbol, symbol.slice(0, -SUFFIX.length)];
  if (row !== undefined) ours.push(...ours.map((name) => `${name}@${row.venue}`));
  if (!word.includes('*')) return ours.includes(word);
  const names = row === undefined ? ours : [...ours, row.venueInstrument];
  const pattern = new RegExp(
    `^${word
      .split('*')
      .map((part) => part.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&'))
      .join('.*')}$`,
  );
  return names.some((name) => pattern.test(name));
}

function byVolume(a: Choosable, b: Choosable): number {
  return compareDecimals(b.row?.facts?.dayVolumeUsd ?? '0', a.row?.facts?.dayVolumeUsd ?? '0');
}
