import { COIN } from '../protocol/coin';

const HOUR_MS = 3_600_000;
/** Payments that are kept. */
const KEPT = 500;

/** A payment as `fundingHistory` answers it. */
export interface FundingRow {
  readonly coin: string;
  readonly fundingRate: string;
  readonly premium: string;
  readonly time: number;
}

/** One payment at each full hour, at the rate that was last told. */
export class FundingHistory {
  private readonly rows: FundingRow[] = [];
  private nextMs: number | undefined;

  /** The rate as told at this time. */
  told(atMs: number, fundingRate: string, premium: string): void {
    this.nextMs ??= Math.floor(atMs / HOUR_MS) * HOUR_MS;
    for (; this.nextMs <= atMs; this.nextMs += HOUR_MS) this.rows.push({ coin: COIN, fundingRate, premium, time: this.nextMs });
    if (this.rows.length > KEPT) this.rows.splice(0, this.rows.length - KEPT);
  }

  between(startMs: number, endMs: number): FundingRow[] {
    return this.rows.filter(({ time }) => time >= startMs && time <= endMs);
  }
}
