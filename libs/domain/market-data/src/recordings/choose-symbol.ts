import { UnknownSymbolError } from '../unknown-symbol-error';
import { SeveralSymbolsError } from './recording-errors';

/**
 * The symbol to play: the one asked for, or the only one there is.
 * @throws UnknownSymbolError naming those that are there; SeveralSymbolsError when none was asked for and there are several
 */
export function chooseSymbol(symbols: readonly string[], asked: string | undefined, advice?: string): string {
  if (asked !== undefined && symbols.includes(asked)) return asked;
  const [only] = symbols;
  if (asked === undefined && symbols.length > 1) throw new SeveralSymbolsError(symbols);
  if (asked === undefined && only !== undefined) return only;
  const there = symbols.length === 0 ? `no symbol that is known${advice === undefined ? '' : `: ${advice}`}` : symbols.join(', ');
  throw new UnknownSymbolError(
    asked === undefined
      ? `the recording holds ${there}`
      : `unknown symbol ${JSON.stringify(asked.slice(0, 40))}; the recording holds ${there}`,
  );
}
