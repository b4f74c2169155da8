import { Problem } from '../../../serving/errors/problem';
import { keptText } from '../../../serving/http/representation';
import { PAGE_SECURITY_HEADERS } from '../../../serving/http/security-headers';
import { pageHtml } from './page';
import { pageFiles } from '../../../serving/pages/page-files';
import type { Handler } from '../../../serving/handlers/handler';

/** The page may be kept, and is asked for again each time it is opened. */
const PAGE_DELIVERY = { cacheControl: 'no-cache', security: PAGE_SECURITY_HEADERS };
/** A name means the same bytes for good. */
const FILE_DELIVERY = { cacheControl: 'public, max-age=31536000, immutable', security: PAGE_SECURITY_HEADERS };

/** The reference page. The own address is known once the server listens. */
export function getDocsPage(baseUrl: () => string): Handler<'getDocsPage'> {
  let page: ReturnType<typeof makePage> | undefined;
  return () => (page ??= makePage(baseUrl()));
}

function makePage(baseUrl: string) {
  return { ...keptText(Buffer.from(pageHtml(baseUrl)), 'text/html'), delivery: PAGE_DELIVERY };
}

/** The files of the reference page. */
export function getDocsFile(): Handler<'getDocsFile'> {
  const files = new Map(
    pageFiles().map(({ name, mediaType, bytes }) => [name, { ...keptText(bytes, mediaType), delivery: FILE_DELIVERY }] as const),
  );
  return ({ input }) => {
    const file = files.get(input.path.file_name);
    if (file === undefined) throw new Problem('not_found', 'The reference page has no file of this name; open /docs again.');
    return file;
  };
}
