import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Request, RequestHandler } from 'express';
import { z } from 'zod';
import type { RequestLimits } from './admission';
import { sessionOf } from './auth/authorise';
import { Problem } from './errors/problem';
import { keptBytes, keptText, type Representation } from './http/representation';
import { requestIdOf } from './http/request-lifetime';
import { DOCS_SECURITY_HEADERS, PORTAL_SECURITY_HEADERS, sendRepresentation } from './http/send';

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
const PAGE_CACHE = 'no-cache';
const NOT_FOUND_CACHE = 'no-store';
/** File names contain a content hash. */
const FILE_CACHE = 'public, max-age=31536000, immutable';

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
function openSiteFolder<Schema extends z.ZodType>(
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
    await sendRepresentation(req, res, requestIdOf(req), { status: 200 }, found);
  };
}

/** A page if the caller prefers HTML to JSON. */
export function serveNotFound(deps: Pick<ServeSitesDeps, 'sites'> | undefined): RequestHandler {
  return async (req, res) => {
    const prefersHtml = req.accepts('application/problem+json', 'application/json', 'text/html') === 'text/html';
    const page = prefersHtml ? firstOf(deps?.sites ?? [], (site) => site.notFound(req.path, readerOf(req))) : undefined;
    if (page === undefined || (req.method !== 'GET' && req.method !== 'HEAD')) throw new Problem('not_found', 'No such path.');
    await sendRepresentation(req, res, requestIdOf(req), { status: 404 }, page);
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

interface DocsBuild extends Site {
  /** SHA-256 of the manifest, lower-case hex. */
  readonly digest: string;
}

const MANIFEST = 'docs.json';

const file = z.object({ file: z.string().regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const path = z.string().regex(/^\/[\w.-]+(?:\/[\w.-]+)*$/);
const manifestSchema = z.object({
  schema: z.literal('market_state_docs.v2'),
  base_url: z.url(),
  pages: z.array(z.object({ path, html: file, text_path: path, text: file })).min(1),
  texts: z.array(z.object({ path, text: file })),
  not_found: file,
  styles: z.array(z.object({ path, style: file })),
  scripts: z.array(z.object({ path, script: file })),
  indexes: z.array(z.object({ path, index: file })),
  pictures: z.array(z.object({ path, picture: file })),
  downloads: z.array(z.object({ path, download: file })),
});

const PAGE = { cacheControl: PAGE_CACHE, security: DOCS_SECURITY_HEADERS };
const ASSET = { cacheControl: FILE_CACHE, security: DOCS_SECURITY_HEADERS };

/**
 * Later changes to the folder have no effect.
 * @param baseUrl replaces the manifest's address in pages
 * @throws {SiteBuildError} without a manifest, or if a file does not match it
 */
export function readDocsBuild(folder: string, baseUrl: () => string): DocsBuild {
  const { manifest, read, hashes } = openSiteFolder(folder, { what: 'documentation', manifestFile: MANIFEST, schema: manifestSchema });
  const made = new Map<string, Representation>();
  const makers = new Map<string, () => Representation>();
  const bytesOf = (named: z.output<typeof file>): Buffer => {
    const bytes = read(named.file);
    if (hashes.get(named.file) === named.sha256) return bytes;
    throw new SiteBuildError(`In the documentation build in ${folder}, ${named.file} does not match its manifest.`);
  };
  const addText = (at: string, named: z.output<typeof file>, mediaType: string, varies?: string): void => {
    const bytes = bytesOf(named);
    const here = (): Buffer => Buffer.from(bytes.toString('utf8').replaceAll(manifest.base_url, baseUrl()));
    makers.set(at, () => ({ ...keptText(here(), mediaType), delivery: PAGE, varies }));
  };
  const textOf = new Map(manifest.pages.map((page) => [page.path, page.text_path]));
  for (const page of manifest.pages) {
    addText(page.path, page.html, 'text/html', 'Accept');
    addText(page.text_path, page.text, 'text/markdown');
  }
  for (const each of manifest.texts) addText(each.path, each.text, 'text/plain');
  const addAsset = (at: string, named: z.output<typeof file>, mediaType: string): void => {
    made.set(at, { ...keptText(bytesOf(named), mediaType), delivery: ASSET });
  };
  for (const each of manifest.styles) addAsset(each.path, each.style, 'text/css');
  for (const each of manifest.scripts) addAsset(each.path, each.script, 'text/javascript');
  for (const each of manifest.indexes) addAsset(each.path, each.index, 'application/json');
  for (const each of manifest.pictures) made.set(each.path, { ...keptBytes(bytesOf(each.picture), 'image/webp'), delivery: ASSET });
  for (const each of manifest.downloads) {
    const mediaType = each.path.endsWith('.whl') ? 'application/zip' : 'application/gzip';
    made.set(each.path, { ...keptBytes(bytesOf(each.download), mediaType), delivery: PAGE });
  }
  const notFound: Representation = {
    ...keptText(bytesOf(manifest.not_found), 'text/html'),
    delivery: { ...PAGE, cacheControl: NOT_FOUND_CACHE },
    varies: 'Accept',
  };
  return {
    notFound: (requested) => (/^\/docs(?:\/|$)/.test(requested) ? notFound : undefined),
    digest: hashes.get(MANIFEST) ?? '',
    find(requested, { prefersText }) {
      const textPath = prefersText ? textOf.get(requested) : undefined;
      const at = textPath ?? requested;
      const found = made.get(at) ?? makers.get(at)?.();
      if (found === undefined) return undefined;
      made.set(at, found);
      return textPath === undefined ? found : { ...found, varies: 'Accept' };
    },
  };
}

type PathPattern = (path: string) => boolean;

const SEGMENT_MAX = 128;

/** `:name` matches any one segment; a trailing slash makes a different path. */
export function toPathPattern(pattern: string): PathPattern {
  const wanted = pattern.split('/');
  return (path) => {
    const segments = path.split('/', wanted.length + 1);
    return segments.length === wanted.length && segments.every((segment, index) => fits(segment, wanted[index] ?? ''));
  };
}

function fits(segment: string, wanted: string): boolean {
  return wanted.startsWith(':') ? segment !== '' && segment.length <= SEGMENT_MAX : segment === wanted;
}

interface PortalBuild extends Site {
  /** SHA-256, lower-case hex, by path; manifest included. */
  readonly hashes: ReadonlyMap<string, string>;
}

const NAME = /^[\w-][\w.-]*$/;
const portalManifestSchema = z.object({
  schema: z.literal('market_state_portal.v3'),
  pages: z.array(z.object({ pattern: z.string().regex(/^(?:\/|(?:\/:?[a-z_]+)+)$/), html: z.string().regex(NAME) })).min(1),
  not_found: z.string().regex(NAME),
  files: z.array(z.string().refine((path) => path.split('/').every((part) => NAME.test(part)), 'must be a path inside the build')),
});

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.gz': 'application/gzip',
};

const FILE_DELIVERY = { cacheControl: FILE_CACHE, security: PORTAL_SECURITY_HEADERS };

/**
 * Later changes to the folder have no effect.
 * @throws {SiteBuildError} without a manifest, or if a listed file is missing
 */
export function readPortalBuild(folder: string): PortalBuild {
  const { manifest, read, hashes } = openSiteFolder(folder, { what: 'portal', manifestFile: 'portal.json', schema: portalManifestSchema });
  const files = new Map<string, Representation>(
    manifest.files.map((file) => [`/${file}`, { ...keptText(read(file), mediaTypeOf(file)), delivery: FILE_DELIVERY }]),
  );
  const pages: readonly (readonly [PathPattern, Page])[] = manifest.pages.map(({ pattern, html }) => [
    toPathPattern(pattern),
    toPage(read(html), PAGE_CACHE, 'Cookie'),
  ]);
  const notFound = toPage(read(manifest.not_found), NOT_FOUND_CACHE, 'Accept, Cookie');
  return {
    find: (path, reader) => files.get(path) ?? pages.find(([matches]) => matches(path))?.[1](reader),
    notFound: (_path, reader) => notFound(reader),
    hashes,
  };
}

type Page = (reader: Reader) => Representation;

/** Scripts cannot see the session cookie, so a page requested with one sets `data-session`. */
function toPage(html: Buffer, cacheControl: string, varies: string): Page {
  const formOf = (bytes: Buffer): Representation => ({
    ...keptText(bytes, 'text/html'),
    delivery: { cacheControl, security: PORTAL_SECURITY_HEADERS },
    varies,
  });
  const plain = formOf(html);
  const withSession = formOf(Buffer.from(html.toString('utf8').replace('<html', '<html data-session')));
  return ({ hasSession }) => (hasSession ? withSession : plain);
}

function mediaTypeOf(file: string): string {
  const type = MEDIA_TYPES[extname(file)];
  if (type === undefined) throw new SiteBuildError(`The portal build contains a file type that is not served: ${file}`);
  return type;
}
