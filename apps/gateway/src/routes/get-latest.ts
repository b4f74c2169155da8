import type { LatestSource } from '../latest/latest-source';
import type { Handler } from './handler';

export function getLatest(source: LatestSource): Handler {
  return async ({ input }) => (await source.read(String(input.query['symbol']))).representation;
}
