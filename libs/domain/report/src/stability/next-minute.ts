const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;
/** Maximum age of a mid's book. */
const SILENCE_MS = 10_000;
const KEPT_SECONDS = 600;

interface LaterRead {
  readonly severity: number;
  /** Realized volatility of the following 60 s; dimensionless, 0.0001 is one basis point. */
  readonly volatility: number;
}

interface Asked {
  readonly windowEndMs: number;
  readonly severity: number;
}

/**
 * Realized volatility of the 60 s after a window's end T: the square root of the sum of squares of sixty log returns,
 * ln(mid / mid one second before), of the mid sampled at each whole second from T to T + 60 s. A second's mid is that
 * of the newest book stamped at or before it, if at most 10 s old. A minute with a missing mid, or across a seam, has
 * none.
 */
export class NextMinute {
  private book: { readonly ms: number; readonly mid: number } | undefined;
  /** Next second to sample, and the mid of the previous one. */
  private nextMs = 0;
  private sampled: number | null = null;
  private readonly squares = new Map<number, number | null>();
  private asked: Asked[] = [];

  /** Adds the next book of the log; one older than the newest is skipped. */
  addBook(exchangeTsMs: number, mid: number): void {
    const { book } = this;
    if (book !== undefined && exchangeTsMs < book.ms) return;
    if (book === undefined || exchangeTsMs - book.ms > KEPT_SECONDS * SECOND_MS) this.begin(exchangeTsMs);
    else this.sampleBefore(exchangeTsMs, book);
    this.book = { ms: exchangeTsMs, mid };
  }

  /** Marks a seam: later prices do not continue earlier ones. */
  cut(): void {
    this.book = undefined;
  }

  private begin(exchangeTsMs: number): void {
    this.nextMs = Math.ceil(exchangeTsMs / SECOND_MS) * SECOND_MS;
    this.sampled = null;
  }

  private sampleBefore(endMs: number, { ms, mid }: { readonly ms: number; readonly mid: number }): void {
    for (; this.nextMs < endMs; this.nextMs += SECOND_MS) {
      const value = this.nextMs - ms <= SILENCE_MS ? mid : null;
      this.squares.set(this.nextMs, value === null || this.sampled === null ? null : Math.log(value / this.sampled) ** 2);
      this.sampled = value;
    }
    for (const secondMs of this.squares.keys()) {
      if (this.squares.size <= KEPT_SECONDS) break;
      this.squares.delete(secondMs);
    }
  }

  /** Requests the volatility of the minute after a window's end. */
  ask(windowEndMs: number, severity: number): void {
    this.asked.push({ windowEndMs, severity });
  }

  /**
   * Returns and removes the packets whose volatility is known. At the end of the log, the newest book completes its own
   * second.
   */
  takeKnown(logEnded = false): readonly LaterRead[] {
    if (logEnded && this.book !== undefined) this.sampleBefore(this.book.ms + 1, this.book);
    const isOver = ({ windowEndMs }: Asked): boolean => windowEndMs + MINUTE_MS < this.nextMs;
    if (!this.asked.some(isOver)) return [];
    const over = this.asked.filter(isOver);
    this.asked = this.asked.filter((packet) => !isOver(packet));
    return over.flatMap(({ windowEndMs, severity }) => {
      const volatility = this.volatilityAfter(windowEndMs);
      return volatility === null ? [] : [{ severity, volatility }];
    });
  }

  private volatilityAfter(windowEndMs: number): number | null {
    let sum = 0;
    for (let ms = windowEndMs + SECOND_MS; ms <= windowEndMs + MINUTE_MS; ms += SECOND_MS) {
      const square = this.squares.get(ms) ?? null;
      if (square === null) return null;
      sum += square;
    }
    return Math.sqrt(sum);
  }
}
