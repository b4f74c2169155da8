import type { Grant } from '../auth/grant';
import { unauthenticated } from '../errors/problem';
import type { Call } from './handler';

/** The grant of a call to a route that needs one. */
export function grantOf({ grant }: Pick<Call, 'grant'>): Grant {
  if (grant === null) throw unauthenticated();
  return grant;
}
