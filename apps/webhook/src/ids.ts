import { createHash, randomBytes } from 'node:crypto';
import * as ids from '@market-state/credentials';

export function newId(prefix: ids.IdPrefix): string {
  return ids.newId(prefix, randomBytes);
}

/** The same for every attempt of an operation; random without one. */
export function idOfOperation(prefix: ids.IdPrefix, of: string, operationId: string | undefined): string {
  if (operationId === undefined) return newId(prefix);
  return ids.newId(prefix, (size) => createHash('sha256').update(`${of}\n${operationId}`).digest().subarray(0, size));
}
