import type { LatestSource } from '../latest/latest-source';
import type { Handler } from './handler';

export function getLatest(source: LatestSource): Handler {
  return async ({ input }) => {
    const { representation, symbolTotal } = await source.read(String(input.query['symbol']));
    return { ...representation, observed: symbolTotal };
  };
}
