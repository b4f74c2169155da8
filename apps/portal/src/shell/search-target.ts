/** `path` is null if there is a problem to show. */
export interface SearchTarget {
  readonly path: string | null;
  readonly problem: string;
}

const SYMBOL = /^[A-Z0-9]{1,20}USD-PERP$/;
const SUGGESTED_MAX = 3;

/** `symbols` is null if the catalog can't be read, for example without a login. */
export function searchTarget(text: string, symbols: readonly string[] | null): SearchTarget {
  const requested = text.trim();
  if (/^evt_[0-9a-z]{26}$/.test(requested)) return { path: `/packet/${requested}`, problem: '' };
  const name = requested.toUpperCase();
  if (symbols === null) {
    const problem = 'Enter a symbol such as BTCUSD-PERP, or an event id';
    return SYMBOL.test(name) ? { path: `/live/${name}`, problem: '' } : { path: null, problem };
  }
  const likely = name === '' ? [] : symbols.filter((symbol) => symbol.startsWith(name));
  const found =
    [name, `${name}-PERP`, `${name}USD-PERP`].find((each) => symbols.includes(each)) ?? (likely.length === 1 ? likely[0] : undefined);
  if (found !== undefined) return { path: `/live/${found}`, problem: '' };
  return {
    path: null,
    problem: likely.length === 0 ? 'No such symbol or event id' : `Which one? ${likely.slice(0, SUGGESTED_MAX).join(', ')}`,
  };
}
