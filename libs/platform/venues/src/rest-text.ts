import { timeLimit } from '@market-state/lifecycle';
import { VenueError } from './venue-source';

const DEADLINE_MS = 10_000;
const ANSWER_BYTES_MAX = 8 * 1_048_576;

/** Address of a path below a base address, which may lack the final slash. */
export function urlBelow(base: string, path: string): string {
  return path === '' ? base : new URL(path, base.endsWith('/') ? base : `${base}/`).href;
}

interface RestRequest {
  readonly url: string;
  /** Sent as a JSON POST; GET if absent. */
  readonly body?: object;
  readonly signal?: AbortSignal;
}

/**
 * Checked to be JSON.
 * @throws VenueError `unreachable` without a response in 10 s; `bad_answer` for a bad status, more than 8 MiB or
 * invalid JSON; or the signal's reason
 */
export async function restText({ url, body, signal }: RestRequest): Promise<string> {
  const deadline = timeLimit(DEADLINE_MS);
  const { host, pathname } = new URL(url);
  let response: Response;
  try {
    response = await fetch(url, {
      ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
      redirect: 'error',
      signal: signal === undefined ? deadline : AbortSignal.any([signal, deadline]),
    });
    if (response.ok) return json(await limited(response), `${host}${pathname}`);
  } catch (error) {
    signal?.throwIfAborted();
    if (error instanceof VenueError) throw error;
    throw new VenueError('unreachable', `no response from ${host}${pathname}`, { cause: error });
  }
  await response.body?.cancel();
  throw new VenueError('bad_answer', `${host}${pathname} returned status ${response.status}`);
}

async function limited(response: Response): Promise<string> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of (response.body ?? []) as AsyncIterable<Uint8Array>) {
    bytes += chunk.length;
    if (bytes > ANSWER_BYTES_MAX) throw new VenueError('bad_answer', `response exceeds ${ANSWER_BYTES_MAX} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function json(text: string, route: string): string {
  try {
    JSON.parse(text);
    return text;
  } catch (cause) {
    throw new VenueError('bad_answer', `${route} returned invalid JSON`, { cause });
  }
}

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
  async function pagesOf({ path: first, body, next, name }: MetadataRequest): Promise<readonly unknown[]> {
    const pages: unknown[] = [];
    for (let path: string | undefined = first; path !== undefined; path = next?.(pages.at(-1))) {
      if (pages.length === PAGES_MAX) throw new VenueError('bad_answer', `${name} has more than ${PAGES_MAX} pages`);
      pages.push(JSON.parse(await restText({ url: urlBelow(restUrl, path), body, signal })));
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
