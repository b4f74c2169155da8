import type { FaultItem } from '../errors/fault-item';

const CHANGES = ['name', 'scopes', 'expires_at', 'credit_ceiling', 'rate_limit'] as const;

/** Faults of a changed key that no schema tells well: a rotation takes no other change, and an overlap is a rotation's. */
export function keyPatchFaults(body: unknown): FaultItem[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  if ('rotate' in body) {
    const both = CHANGES.filter((name) => name in body);
    return both.map((name) => ({
      loc: ['body', name],
      msg: 'cannot be changed together with rotate: the new key is like the old one',
      type: 'not_with_rotate',
    }));
  }
  if (!('overlap_seconds' in body)) return [];
  return [{ loc: ['body', 'overlap_seconds'], msg: 'is of a rotation: send rotate too', type: 'only_with_rotate' }];
}
