import { z } from 'zod';
import { keptBytes, keptText, type Representation } from '../http/representation';
import { DOCS_SECURITY_HEADERS } from '../http/security-headers';
import { FILE_CACHE, NOT_FOUND_CACHE, PAGE_CACHE, type Site, openSiteFolder, SiteBuildError } from './serve-sites';

export interface DocsBuild extends Site {
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
    const text = bytesOf(named).toString('utf8');
    const here = (): Buffer => Buffer.from(text.replaceAll(manifest.base_url, baseUrl()));
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
