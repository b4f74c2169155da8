import { forSession } from '../latest/for-session';
import type { LatestSource } from '../latest/latest-source';
import type { Handler } from './handler';

export function getLatest(source: Pick<LatestSource, 'read'>): Handler {
  return async ({ input, grant }) => {
    const { representation, symbolTotal } = await source.read(String(input.query['symbol']));
    return { ...(grant?.kind === 'session' ? forSession(representation) : representation), observed: symbolTotal };
  };
}
