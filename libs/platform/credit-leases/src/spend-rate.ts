const SECONDS_KEPT = 5;

/** Times are of the monotonic clock. */
export interface SpendRate {
  add(credits: number, nowMs: number): void;
  /** Maximum of the last five seconds. */
  perSecond(nowMs: number): number;
}

export function createSpendRate(startMs: number): SpendRate {
  const totals = new Array<number>(SECONDS_KEPT).fill(0);
  let second = Math.floor(startMs / 1_000);

  function roll(nowMs: number): void {
    const now = Math.floor(nowMs / 1_000);
    if (now === second) return;
    for (let passed = Math.min(now - second, SECONDS_KEPT); passed > 0; passed -= 1) totals[(now - passed + 1) % SECONDS_KEPT] = 0;
    second = now;
  }

  return {
    add(credits, nowMs) {
      roll(nowMs);
      totals[second % SECONDS_KEPT] = (totals[second % SECONDS_KEPT] ?? 0) + credits;
    },
    perSecond(nowMs) {
      roll(nowMs);
      return Math.max(...totals);
    },
  };
}
