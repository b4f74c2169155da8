import type { Grant } from '../auth/grant';
import { unauthenticated } from '../http/problem';
import type { Call } from '../routes/handler';

/** The grant of a call to a route that needs one. */
export function grantOf({ grant }: Pick<Call, 'grant'>): Grant {
  if (grant === null) throw unauthenticated();
  return grant;
}
