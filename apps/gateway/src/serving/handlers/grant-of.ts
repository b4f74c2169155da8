import type { Grant } from '../auth/grant';
import { unauthenticated } from '../errors/problem';
import type { CallContext } from './handler';

/** The grant of a call to a route that needs one. */
export function grantOf({ grant }: Pick<CallContext, 'grant'>): Grant {
  if (grant === null) throw unauthenticated();
  return grant;
}
