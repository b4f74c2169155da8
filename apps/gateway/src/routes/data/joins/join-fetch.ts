import { queryPath, type QueryParameters } from '../queries/query-url';
import { curlToFile } from '../../../serving/answers/shell';

/** One address to fetch into a file. */
export interface JoinFetch {
  readonly path: string;
  readonly parameters: QueryParameters;
  /** File of the working folder. */
  readonly output: string;
}

/** What every fetch says of itself in public form. */
export function toPublicFetch({ path, parameters, output }: JoinFetch, baseUrl: string) {
  const url = baseUrl + queryPath(path, parameters);
  return { method: 'GET' as const, path, parameters, url, output, fetch: curlToFile(url, output) };
}
