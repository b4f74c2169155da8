const REMEMBERED = 100_000;

export class RecentIds {
  private newer = new Set<string>();
  private older = new Set<string>();

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
