import { unknownSymbol } from '@market-state/errors';

/** @throws ServiceError NOT_FOUND with reason `unknown_symbol` for the first symbol that is not served. */
export function assertServed(symbols: readonly string[], served: readonly string[]): void {
  const unknown = symbols.find((symbol) => !served.includes(symbol));
  if (unknown !== undefined) throw unknownSymbol(unknown, served);
}
