import { forSession } from './for-session';
import type { LatestSource } from '../../boards/latest-source';
import type { Handler } from '../../serving/answers/handler';

export function getLatest(source: Pick<LatestSource, 'read'>): Handler<'getLatest'> {
  return async ({ input, grant }) => {
    const { representation, symbolTotal } = await source.read(input.query.symbol, input.query.view);
    return { ...(grant?.kind === 'session' ? forSession(representation) : representation), observed: symbolTotal };
  };
}
