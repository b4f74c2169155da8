import type { Answer } from '@market-state/testing';

/** A call that was answered 200 or 304; times are of `performance.now()`. */
export interface ServedCall {
  readonly requestId: string;
  readonly tenantId: string;
  /** As its answer told. */
  readonly credits: number;
  readonly gateway: number;
  /** Of that gateway: how often it had been killed when the call was sent. */
  readonly life: number;
  readonly endMs: number;
}

/** A call whose connection broke before a whole answer was there. */
export interface LostCall {
  readonly requestId: string;
  readonly gateway: number;
  readonly sentMs: number;
  readonly lostMs: number;
}

/** What became of every call, as its caller saw it. */
export class CallLog {
  readonly served: ServedCall[] = [];
  readonly lost: LostCall[] = [];
  readonly refused = new Map<number, number>();
  readonly refusedIds = new Set<string>();
  /** Refusals that tell a charge. */
  readonly charging: string[] = [];

  serve(call: ServedCall): void {
    this.served.push(call);
  }

  lose(call: LostCall): void {
    this.lost.push(call);
  }

  refuse({ status, headers, text }: Answer, requestId: string): void {
    this.refused.set(status, (this.refused.get(status) ?? 0) + 1);
    this.refusedIds.add(requestId);
    if ((headers['x-credits-charged'] ?? '0') !== '0') this.charging.push(`${status} ${text}`);
  }

  refusedTotal(): number {
    return this.refusedIds.size;
  }
}
