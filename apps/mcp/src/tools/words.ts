import type { Params } from '@market-state/client';
import { z } from 'zod';

type Search = Params<'searchEvents'>;

/** A word of the service, which refuses one that it does not know and says which there are. */
function word<T extends string>() {
  return z
    .string()
    .regex(/^[a-z0-9_]{1,64}$/, 'must be a word in lower case such as depth_watch')
    .transform((text) => text as T)
    .optional();
}

export const state = word<NonNullable<Search['state']>>();
export const eventClass = word<NonNullable<Search['event_class']>>();
export const severityClass = word<NonNullable<Search['severity_class']>>();

/** How many packets are read at most. */
export function packetLimit(usual: number) {
  return z.int().min(1).max(1_000).default(usual);
}
