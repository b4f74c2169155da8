/** A call that carried an Idempotency-Key, as it is kept. */
export interface KeptCall {
  /** The operation id of the call, on every try. */
  readonly id: string;
  /** SHA-256 of what tells the call from others of its route: path parameters, query, body. */
  readonly bodyDigest: Uint8Array;
  /** Rises by 1 with every owner. */
  readonly fence: number;
  /** Until when its owner is believed to be at work, milliseconds since the epoch. */
  readonly leaseUntilMs: number;
  /** From when on it is as if it had never been, milliseconds since the epoch. */
  readonly forgetAtMs: number;
  readonly isFinished: boolean;
}

/** What a call that comes with the key of a kept one is told, or does. */
export type Decision = 'begin_anew' | 'mismatch' | 'stored' | 'running' | 'take_over';

/** Decides by the kept call, the digest of the new call and the time. */
export function decide(kept: KeptCall, bodyDigest: Uint8Array, nowMs: number): Decision {
  if (nowMs >= kept.forgetAtMs) return 'begin_anew';
  if (Buffer.compare(kept.bodyDigest, bodyDigest) !== 0) return 'mismatch';
  if (kept.isFinished) return 'stored';
  return nowMs < kept.leaseUntilMs ? 'running' : 'take_over';
}
