import { randomBytes } from 'node:crypto';
import * as ids from '@market-state/credentials';

/** Random id. */
export function newId(prefix: ids.IdPrefix): string {
  return ids.newId(prefix, randomBytes);
}
