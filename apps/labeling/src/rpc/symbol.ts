import { type Fault, unknownSymbol } from '@market-state/errors';

const SYMBOL_PATTERN = /^[A-Z0-9]{1,20}USD-PERP$/;

/** What is wrong with the shape of a symbol; nothing when it is well formed, served or not. */
export function symbolFaults(field: string, symbol: string): Fault[] {
  if (SYMBOL_PATTERN.test(symbol)) return [];
  return [{ field, message: 'must be a symbol such as BTCUSD-PERP', type: 'malformed' }];
}

/** @throws ServiceError NOT_FOUND with reason `unknown_symbol` for the first symbol that is not served. */
export function assertServed(symbols: readonly string[], served: readonly string[]): void {
  const unknown = symbols.find((symbol) => !served.includes(symbol));
  if (unknown !== undefined) throw unknownSymbol(unknown, served);
}
