import type { marketData } from '@market-state/contracts';
import { InvalidRequest } from '../../serving/errors/problem';

const NOT_FINISHED = 'window_not_finished';

/** A window of which nothing after an instant is read: venues' clocks may run ahead of the receive times by which rows are as of then. */
export interface CutWindow {
  readonly bounds: { readonly startMs: number; readonly endMs: number };
  /** A receipt of the cut window as one of the window that was asked for: not finished where it was cut. */
  told(receipt: marketData.Completeness | undefined): marketData.Completeness | undefined;
}

/** @throws InvalidRequest when a window that ends at `endMs` would begin there or later; `name` is that of the parameter */
export function refuseYoungStart(name: 'from' | 'start', startMs: number, endMs: number): void {
  if (startMs < endMs) return;
  throw new InvalidRequest([{ loc: ['query', name], msg: 'must be more than 600 s ago for a sandbox key', type: 'delayed' }]);
}

export function cutWindow({ startMs, endMs }: CutWindow['bounds'], asOfMs: number): CutWindow {
  refuseYoungStart('start', startMs, Math.min(endMs, asOfMs));
  if (endMs <= asOfMs) return { bounds: { startMs, endMs }, told: (receipt) => receipt };
  return {
    bounds: { startMs, endMs: asOfMs },
    told: (receipt) =>
      receipt === undefined
        ? undefined
        : { ...receipt, complete: false, reasons: [...receipt.reasons.filter((reason) => reason !== NOT_FINISHED), NOT_FINISHED] },
  };
}
