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

export interface Reader {
  /** Prefers Markdown to HTML. */
  readonly prefersText: boolean;
  /** The cookie may have expired. */
  readonly hasSession: boolean;
}

export interface Site {
  /** Undefined for a path outside this site. */
  find(path: string, reader: Reader): Representation | undefined;
  /** The page for a path that no site has. Undefined if another site answers. */
  notFound(path: string, reader: Reader): Representation | undefined;
}

/** Pages name the files of their build, so they are revalidated. */
export const PAGE_CACHE = 'no-cache';
export const NOT_FOUND_CACHE = 'no-store';
/** File names contain a content hash. */
export const FILE_CACHE = 'public, max-age=31536000, immutable';

export class SiteBuildError extends Error {
  override readonly name = 'SiteBuildError';
}

interface SiteFolder<Manifest> {
  readonly manifest: Manifest;
  /** @throws {SiteBuildError} if the file is missing */
  read(file: string): Buffer;
  /** SHA-256, lower-case hex, by path; manifest included. */
  readonly hashes: ReadonlyMap<string, string>;
}

/**
 * @param what name of the site in messages
 * @throws {SiteBuildError} if the manifest is missing or not valid
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
        throw new SiteBuildError(`The ${what} build in ${folder} lacks ${file}.`, { cause: error });
      }
    },
    hashes,
  };

  function parsed(): z.output<Schema> {
    try {
      return schema.parse(JSON.parse(readFile(manifestFile).toString('utf8')));
    } catch (error) {
      throw new SiteBuildError(`${folder} has no usable ${what} build: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

export interface ServeSitesDeps {
  readonly sites: readonly Site[];
  readonly limits: Pick<RequestLimits, 'admitFile' | 'countStray'>;
}

/** Public; passes on unknown paths. */
export function serveSites({ sites, limits }: ServeSitesDeps): RequestHandler {
  return async (req, res, next) => {
    const found = firstOf(sites, (site) => site.find(req.path, readerOf(req)));
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

/** A page if the caller prefers HTML to JSON. */
export function serveNotFound(deps: Pick<ServeSitesDeps, 'sites'> | undefined): RequestHandler {
  return async (req, res) => {
    const prefersHtml = req.accepts('application/problem+json', 'application/json', 'text/html') === 'text/html';
    const page = prefersHtml ? firstOf(deps?.sites ?? [], (site) => site.notFound(req.path, readerOf(req))) : undefined;
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

function firstOf(sites: readonly Site[], answer: (site: Site) => Representation | undefined) {
  for (const site of sites) {
    const found = answer(site);
    if (found !== undefined) return found;
  }
  return undefined;
}
