import type { RejectionReason } from './rejections';

/** A message that is not taken. `ignored` is one that the log has no use for: no fault. */
export type NotTaken = { readonly type: 'rejected'; readonly reason: RejectionReason } | { readonly type: 'ignored' };

export const IGNORED: NotTaken = { type: 'ignored' };

export function rejected(reason: RejectionReason): NotTaken {
  return { type: 'rejected', reason };
}
