import type { RequestHandler } from 'express';
import type { RequestLimits } from '../admission/request-limits';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-id';
import { sendRepresentation } from '../http/send';
import type { Site } from './site';

export interface ServeSitesDeps {
  readonly sites: readonly Site[];
  readonly limits: Pick<RequestLimits, 'admitFile' | 'countStray'>;
}

/** Serves the pages and files of sites to anyone; a path that is none of them is left to whoever comes next. */
export function serveSites({ sites, limits }: ServeSitesDeps): RequestHandler {
  return async (req, res, next) => {
    const prefersText = req.accepts('text/html', 'text/markdown') === 'text/markdown';
    const found = firstOf(sites, req.path, prefersText);
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

function firstOf(sites: readonly Site[], path: string, prefersText: boolean) {
  for (const site of sites) {
    const found = site.find(path, prefersText);
    if (found !== undefined) return found;
  }
  return undefined;
}
