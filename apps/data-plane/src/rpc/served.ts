import { unknownSymbol } from '@market-state/errors';
import type { RpcDeps } from './deps';

/** @throws ServiceError NOT_FOUND for a symbol not served; what is stored can be read before the log is. */
export function refuseUnserved({ tail }: Pick<RpcDeps, 'tail'>, symbol: string): void {
  if (!tail.symbols.includes(symbol)) throw unknownSymbol(symbol, tail.symbols);
}
