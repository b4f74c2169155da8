const IDENTITY = /(?:_digest|_id|_ordinal|_route|_routes|route_refs)$/;

/** A packet line without what identifies its inputs: digests, ids, log positions, and routes that contain them. */
export function identityless(line: string): unknown {
  return JSON.parse(line, (name, value: unknown) => (IDENTITY.test(name) ? undefined : value));
}
