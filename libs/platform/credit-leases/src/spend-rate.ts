const SECONDS_KEPT = 5;

export interface SpendRate {
  add(credits: number): void;
  /** Maximum of the last five seconds. */
  perSecond(): number;
}

/** @param monotonicMs monotonic clock */
export function createSpendRate(monotonicMs: () => number): SpendRate {
  const totals = new Array<number>(SECONDS_KEPT).fill(0);
  let second = Math.floor(monotonicMs() / 1_000);

  function roll(): void {
    const now = Math.floor(monotonicMs() / 1_000);
    for (let passed = Math.min(now - second, SECONDS_KEPT); passed > 0; passed -= 1) totals[(now - passed + 1) % SECONDS_KEPT] = 0;
    second = now;
  }

  return {
    add(credits) {
      roll();
      totals[second % SECONDS_KEPT] = (totals[second % SECONDS_KEPT] ?? 0) + credits;
    },
    perSecond() {
      roll();
      return Math.max(...totals);
    },
  };
}
