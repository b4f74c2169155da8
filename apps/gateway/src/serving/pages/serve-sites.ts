import type { Request, RequestHandler } from 'express';
import type { RequestLimits } from '../admission/request-limits';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-id';
import type { Representation } from '../http/representation';
import { sendRepresentation } from '../http/send';
import { sessionOf } from '../auth/credential';
import type { Reader, Site } from './site';

export interface ServeSitesDeps {
  readonly sites: readonly Site[];
  /** The page for addresses of no site; absent where no site has one. */
  readonly notFound?: ((reader: Reader) => Representation) | undefined;
  readonly limits: Pick<RequestLimits, 'admitFile' | 'countStray'>;
}

/** Serves the pages and files of sites to anyone; a path that is none of them is left to whoever comes next. */
export function serveSites({ sites, limits }: ServeSitesDeps): RequestHandler {
  return async (req, res, next) => {
    const found = firstOf(sites, req.path, readerOf(req));
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

/** Answers an address that is neither a route nor a page: 404, as a page where the caller prefers HTML to JSON. */
export function serveNotFound(deps: Pick<ServeSitesDeps, 'notFound'> | undefined): RequestHandler {
  return async (req, res) => {
    const prefersHtml = req.accepts('application/problem+json', 'application/json', 'text/html') === 'text/html';
    const page = prefersHtml ? deps?.notFound?.(readerOf(req)) : undefined;
    if (page === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) throw new Problem('not_found', 'No such path.');
    await sendRepresentation(req, res, requestIdOf(req), 404, page);
  };
}

function readerOf(req: Request): Reader {
  return {
    prefersText: req.accepts('text/html', 'text/markdown') === 'text/markdown',
    hasSession: sessionOf(req.headers) !== undefined,
  };
}

function firstOf(sites: readonly Site[], path: string, reader: Reader) {
  for (const site of sites) {
    const found = site.find(path, reader);
    if (found !== undefined) return found;
  }
  return undefined;
}
