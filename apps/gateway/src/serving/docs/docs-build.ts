import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { keptBytes, keptText, type Representation } from '../http/representation';
import { DOCS_SECURITY_HEADERS } from '../http/security-headers';
import { FILE_CACHE, PAGE_CACHE, type Site } from '../pages/site';

/** What a build of the documentation holds. */
export interface DocsBuild extends Site {
  /** SHA-256 of its manifest, which has those of all its files; lower-case hex. */
  readonly digest: string;
}

/** A folder that holds no build of the documentation. */
export class DocsBuildError extends Error {
  override readonly name = 'DocsBuildError';
}

const MANIFEST = 'docs.json';
/** Stands in the files for the address of the server. */
const BASE_URL = 'http://base-url.invalid';

const file = z.object({ file: z.string().regex(/^[\w-][\w.-]*(?:\/[\w-][\w.-]*)*$/), sha256: z.string().regex(/^[0-9a-f]{64}$/) });
const path = z.string().regex(/^\/[\w.-]+(?:\/[\w.-]+)*$/);
const manifestSchema = z.object({
  schema: z.literal('market_state_docs.v1'),
  pages: z.array(z.object({ path, html: file, text_path: path, text: file })).min(1),
  texts: z.array(z.object({ path, text: file })),
  styles: z.array(z.object({ path, style: file })),
  downloads: z.array(z.object({ path, download: file })),
});

type NamedFile = z.output<typeof file>;

const PAGE = { cacheControl: PAGE_CACHE, security: DOCS_SECURITY_HEADERS };
const STYLE = { cacheControl: FILE_CACHE, security: DOCS_SECURITY_HEADERS };

/**
 * Reads a build into memory. A later build in the same folder changes nothing of it.
 * @param baseUrl the public address of this server, written into pages when they are first asked for
 * @throws {DocsBuildError} where the folder has no manifest, or a file is not as the manifest has it
 */
export function readDocsBuild(folder: string, baseUrl: () => string): DocsBuild {
  const bytes = readManifest(folder);
  const manifest = parseManifest(folder, bytes);
  const made = new Map<string, Representation>();
  const makers = new Map<string, () => Representation>();
  const add = (at: string, named: NamedFile, mediaType: string, delivery: typeof PAGE): void => {
    const text = readNamed(folder, named).toString('utf8');
    makers.set(at, () => ({ ...keptText(Buffer.from(text.replaceAll(BASE_URL, baseUrl())), mediaType), delivery, varies: 'Accept' }));
  };
  const textOf = new Map(manifest.pages.map((page) => [page.path, page.text_path]));
  for (const page of manifest.pages) {
    add(page.path, page.html, 'text/html', PAGE);
    add(page.text_path, page.text, 'text/markdown', PAGE);
  }
  for (const each of manifest.texts) add(each.path, each.text, 'text/plain', PAGE);
  for (const each of manifest.styles) add(each.path, each.style, 'text/css', STYLE);
  for (const each of manifest.downloads) {
    const bytes = readNamed(folder, each.download);
    makers.set(each.path, () => ({ ...keptBytes(bytes, 'application/gzip'), delivery: PAGE }));
  }
  return {
    digest: createHash('sha256').update(bytes).digest('hex'),
    find(asked, prefersText) {
      const at = prefersText ? (textOf.get(asked) ?? asked) : asked;
      const maker = makers.get(at);
      if (maker === undefined) return undefined;
      const found = made.get(at) ?? maker();
      made.set(at, found);
      return found;
    },
  };
}

function readManifest(folder: string): Buffer {
  try {
    return readFileSync(join(folder, MANIFEST));
  } catch (error) {
    throw new DocsBuildError(`${folder} holds no build of the documentation.`, { cause: error });
  }
}

function parseManifest(folder: string, bytes: Buffer): z.output<typeof manifestSchema> {
  try {
    return manifestSchema.parse(JSON.parse(bytes.toString('utf8')));
  } catch (error) {
    throw new DocsBuildError(`${folder} holds no build of the documentation: ${error instanceof Error ? error.message : String(error)}`);
  }
}

function readNamed(folder: string, named: NamedFile): Buffer {
  const problem = `The build of the documentation in ${folder} `;
  let bytes: Buffer;
  try {
    bytes = readFileSync(join(folder, named.file));
  } catch (error) {
    throw new DocsBuildError(`${problem}lacks ${named.file}.`, { cause: error });
  }
  const found = createHash('sha256').update(bytes).digest('hex');
  if (found !== named.sha256) throw new DocsBuildError(`${problem}has another ${named.file} than its manifest names.`);
  return bytes;
}
