import { createHash } from 'node:crypto';
import { canonicalJson } from '@market-state/labeler/lineage';
import type { Input } from '../validation/request-validator';

/** SHA-256 of a call's parameters: defaults filled in, in one order whatever the order in which they were sent. */
export function parametersDigest({ query, path, body }: Pick<Input, 'query' | 'path' | 'body'>): Buffer {
  return createHash('sha256')
    .update(canonicalJson({ query, path, body: body ?? null }))
    .digest();
}
