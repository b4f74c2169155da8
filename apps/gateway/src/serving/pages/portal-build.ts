import { extname } from 'node:path';
import { z } from 'zod';
import { keptText, type Representation } from '../http/representation';
import { PORTAL_SECURITY_HEADERS } from '../http/security-headers';
import { FILE_CACHE, NOT_FOUND_CACHE, PAGE_CACHE, type Reader, type Site, openSiteFolder, SiteBuildError } from './serve-sites';

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
const manifestSchema = z.object({
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
  const { manifest, read, hashes } = openSiteFolder(folder, { what: 'portal', manifestFile: 'portal.json', schema: manifestSchema });
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
