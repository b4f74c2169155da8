import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Request, RequestHandler } from 'express';
import type { z } from 'zod';
import type { RequestLimits } from '../admission/request-limits';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-lifetime';
import type { Representation } from '../http/representation';
import { sendRepresentation } from '../http/send';
import { sessionOf } from '../auth/authorise';

/** The properties of a request that choose between forms of a page. */
export interface Reader {
  /** Prefers Markdown to HTML. */
  readonly prefersText: boolean;
  /** Sent a session cookie, which may have expired. */
  readonly hasSession: boolean;
}

/** Pages and files that are served beside the routes, from a folder that was read at the start. */
export interface Site {
  /** Returns what is at a path; undefined for one that is not of this site. */
  find(path: string, reader: Reader): Representation | undefined;
}

/** A page is asked for again each time it is opened, since it names the files of its build. */
export const PAGE_CACHE = 'no-cache';
/** A name holds the hash of its bytes, so that it means them for good. */
export const FILE_CACHE = 'public, max-age=31536000, immutable';

/** A folder that holds no build of a site, or half of one. */
export class SiteBuildError extends Error {
  override readonly name = 'SiteBuildError';
}

/** A build of a site in its folder: a manifest, and the files that it names. */
interface SiteFolder<Manifest> {
  readonly manifest: Manifest;
  /** The bytes of a file of the build. @throws {SiteBuildError} where it lacks */
  read(file: string): Buffer;
  /** SHA-256 of each file as it was read, the manifest too, lower-case hex, by its path below the folder. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * Opens the build of a site.
 * @param what the site in words
 * @param manifestFile its manifest, JSON
 * @throws {SiteBuildError} where there is no manifest, or one of another form
 */
export function openSiteFolder<Schema extends z.ZodType>(
  folder: string,
  { what, manifestFile, schema }: { readonly what: string; readonly manifestFile: string; readonly schema: Schema },
): SiteFolder<z.output<Schema>> {
  const hashes = new Map<string, string>();
  const readFile = (file: string): Buffer => {
    const bytes = readFileSync(join(folder, file));
    hashes.set(file, createHash('sha256').update(bytes).digest('hex'));
    return bytes;
  };
  return {
    manifest: parsed(),
    read(file) {
      try {
        return readFile(file);
      } catch (error) {
        throw new SiteBuildError(`The build of the ${what} in ${folder} lacks ${file}.`, { cause: error });
      }
    },
    hashes,
  };

  function parsed(): z.output<Schema> {
    try {
      return schema.parse(JSON.parse(readFile(manifestFile).toString('utf8')));
    } catch (error) {
      throw new SiteBuildError(`${folder} holds no build of the ${what}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

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
