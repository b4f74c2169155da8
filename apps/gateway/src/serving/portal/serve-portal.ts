import type { RequestHandler } from 'express';
import type { RequestLimits } from '../admission/request-limits';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-id';
import { sendRepresentation } from '../http/send';
import type { PortalBuild } from './portal-build';

export interface ServePortalDeps {
  readonly portal: PortalBuild;
  readonly limits: Pick<RequestLimits, 'admitFile' | 'countStray'>;
}

/** Serves the pages and files of the portal to anyone; a path that is none of them is left to whoever comes next. */
export function servePortal({ portal, limits }: ServePortalDeps): RequestHandler {
  return async (req, res, next) => {
    const found = portal.find(req.path);
    if (found === undefined) {
      next();
      return;
    }
    if (req.method !== 'GET' && req.method !== 'HEAD') {
      await limits.countStray(req);
      throw new Problem('method_not_allowed', 'This path allows GET, HEAD.', { headers: { Allow: 'GET, HEAD' } });
    }
    await limits.admitFile(req);
    await sendRepresentation(req, res, requestIdOf(req), 200, found);
  };
}
