import { restText } from './rest-text';
import { VenueError } from './venue-source';

export interface MetadataRequest {
  readonly name: string;
  readonly path: string;
  readonly body?: object;
  readonly isOptional?: true;
  next?(answer: unknown): string | undefined;
}

const PAGES_MAX = 50;

/**
 * Parsed answers of a venue's metadata by request name, one per page. Optional requests that fail have none.
 * @throws VenueError like `restText`, or `bad_answer` if the pages do not end
 */
export async function listingAnswers(
  restUrl: string,
  requests: readonly MetadataRequest[],
  signal?: AbortSignal,
): Promise<Readonly<Record<string, readonly unknown[]>>> {
  const base = restUrl.endsWith('/') ? restUrl : `${restUrl}/`;

  async function pagesOf({ path: first, body, next, name }: MetadataRequest): Promise<readonly unknown[]> {
    const pages: unknown[] = [];
    for (let path: string | undefined = first; path !== undefined; path = next?.(pages.at(-1))) {
      if (pages.length === PAGES_MAX) throw new VenueError('bad_answer', `${name} has more than ${PAGES_MAX} pages`);
      pages.push(JSON.parse(await restText({ url: new URL(path, base).href, body, signal })));
    }
    return pages;
  }

  const answers = await Promise.all(
    requests.map(async (request) => {
      const pages = pagesOf(request).catch((error: unknown) => {
        if (request.isOptional !== true || !(error instanceof VenueError)) throw error;
        return [];
      });
      return [request.name, await pages] as const;
    }),
  );
  return Object.fromEntries(answers);
}
