import { extname } from 'node:path';
import { z } from 'zod';
import { keptText, type Representation } from '../http/representation';
import { PORTAL_SECURITY_HEADERS } from '../http/security-headers';
import { FILE_CACHE, PAGE_CACHE, type Reader, type Site, openSiteFolder, SiteBuildError } from './serve-sites';

/** Whether a path is one that a pattern stands for. */
type PathPattern = (path: string) => boolean;

/** Longest segment that can stand for a name: event ids and symbols are far shorter. */
const SEGMENT_MAX = 128;

/** A segment that begins with `:` stands for any one segment, every other for itself; a slash at the end makes another path. */
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

/** What a build of the portal holds, by path. */
interface PortalBuild extends Site {
  notFound(reader: Reader): Representation;
  /** SHA-256 of each file as it was read, the manifest too, lower-case hex, by its path below the build. */
  readonly hashes: ReadonlyMap<string, string>;
}

const NAME = /^[\w-][\w.-]*$/;
const manifestSchema = z.object({
  schema: z.literal('market_state_portal.v3'),
  pages: z.array(z.object({ pattern: z.string().regex(/^(?:\/|(?:\/:?[a-z_]+)+)$/), html: z.string().regex(NAME) })).min(1),
  not_found: z.string().regex(NAME),
  files: z.array(z.string().refine((path) => path.split('/').every((part) => NAME.test(part)), 'must be a path below the build')),
});

const MEDIA_TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.js': 'text/javascript',
  '.svg': 'image/svg+xml',
  '.json': 'application/json',
  '.gz': 'application/gzip',
};

const NOT_FOUND_CACHE = 'no-store';
const FILE_DELIVERY = { cacheControl: FILE_CACHE, security: PORTAL_SECURITY_HEADERS };

/**
 * Reads a build into memory: its files, and the page of each path pattern of its manifest. A later build in the same folder changes
 * nothing of it.
 * @throws {SiteBuildError} where the folder has no manifest, or lacks a file that it names
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
  return {
    find: (path, reader) => files.get(path) ?? pages.find(([matches]) => matches(path))?.[1](reader),
    notFound: toPage(read(manifest.not_found), NOT_FOUND_CACHE, 'Accept, Cookie'),
    hashes,
  };
}

type Page = (reader: Reader) => Representation;

/** A page in two forms. The session cookie is hidden from scripts, so a page requested with one says so in `data-session`. */
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
  if (type === undefined) throw new SiteBuildError(`The portal's build has a file of a kind that is not served: ${file}`);
  return type;
}
