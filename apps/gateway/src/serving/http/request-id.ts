import type { IncomingMessage } from 'node:http';
import { requestIdOr } from '@market-state/logging';

/** The request's id: the caller's own when it is sane. */
export function requestIdOf(req: IncomingMessage): string {
  const sent = req.headers['x-request-id'];
  return requestIdOr(typeof sent === 'string' ? sent : undefined);
}
