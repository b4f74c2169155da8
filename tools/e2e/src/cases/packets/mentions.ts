export interface Mention {
  readonly method: string;
  /** May have a query, and parameters in braces. */
  readonly target: string;
  /** JSON pointer of the text that mentions it. */
  readonly at: string;
}

const METHODS = 'GET|POST|PUT|PATCH|DELETE';
/** A path of the API, after a method, an address or nothing. */
const TARGET = new RegExp(
  `(?:(${METHODS})\\s+)?(?:https?://[^/\\s'"]+|(?<![\\w./-]))(/(?:api/public|openapi\\.json|docs|llms\\.txt|\\.well-known)[A-Za-z0-9_./{}?&=%:,~+-]*)`,
  'g',
);
const CURL_METHOD = new RegExp(`(?:-X|--request)\\s*(${METHODS})`);

/**
 * Every route in a JSON value, once for each place. Its method precedes the path, is in an adjacent field `method`, or
 * is GET.
 */
export function mentionsIn(value: unknown, at = '', others?: string): Mention[] {
  if (typeof value === 'string') return inText(value, at, others);
  if (Array.isArray(value)) return value.flatMap((item, index) => mentionsIn(item, `${at}/${index}`, others));
  if (typeof value !== 'object' || value === null) return [];
  const { method } = value as { readonly method?: unknown };
  const own = typeof method === 'string' && new RegExp(`^(${METHODS})$`).test(method) ? method : undefined;
  return Object.entries(value).flatMap(([name, item]) => mentionsIn(item, `${at}/${name}`, own ?? others));
}

function inText(text: string, at: string, others: string | undefined): Mention[] {
  return [...text.matchAll(TARGET)].map(([, before, path = '']) => ({
    method: before ?? CURL_METHOD.exec(text)?.[1] ?? others ?? 'GET',
    target: path.replace(/[.,:]+$/, ''),
    at,
  }));
}
