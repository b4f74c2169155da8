/** Ids that are remembered at least. */
const REMEMBERED = 100_000;

/** Tells ids that came before from new ones, over at least the last 100,000 of them, in bounded memory. */
export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

  /** Remembers the id. False when it was there already. */
  add(id: string): boolean {
    if (this.has(id)) return false;
    if (this.newer.size === REMEMBERED) {
      this.older = this.newer;
      this.newer = new Set();
    }
    this.newer.add(id);
    return true;
  }
  has(id: string): boolean {
    return this.newer.has(id) || this.older.has(id);
  }
}
