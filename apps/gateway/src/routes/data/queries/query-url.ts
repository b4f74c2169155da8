/** Query parameters by name, in the order in which they are written. */
export type QueryParameters = Readonly<Record<string, string | number>>;

/** A path with its parameters. Instants and comma lists stay readable: `:` and `,` are allowed in a query. */
export function queryPath(path: string, parameters: QueryParameters): string {
  const query = Object.entries(parameters).map(
    ([name, value]) => `${name}=${encodeURIComponent(value).replace(/%3A/g, ':').replace(/%2C/g, ',')}`,
  );
  return query.length === 0 ? path : `${path}?${query.join('&')}`;
}
