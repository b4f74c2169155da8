/** Numbers of one gap that are remembered; where more are missing, the gap is not found to be filled. */
const REMEMBERED_MAX = 1_000;

/** Numbers that were passed over and may still come, each once. */
export class MissingNumbers {
  private readonly ids = new Set<number>();
  private total = 0;

  /** From `firstId` up to, not including, `endId`. */
  add(firstId: number, endId: number): void {
    this.total += endId - firstId;
    for (let id = firstId; id < endId && this.ids.size < REMEMBERED_MAX; id++) this.ids.add(id);
  }

  /** @returns whether the number was missing */
  came(id: number): boolean {
    const wasMissing = this.ids.delete(id);
    if (wasMissing) this.total--;
    return wasMissing;
  }

  /** None is missing. */
  get isEmpty(): boolean {
    return this.total === 0;
  }
}
