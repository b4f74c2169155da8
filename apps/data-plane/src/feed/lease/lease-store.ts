/** Who may append to the log of each symbol: the feed whose fence is the newest, as long as it renews its lease. */
export interface LeaseStore {
  /**
   * Takes the leases that are free: never taken, let go, or not renewed for so long. Each gets a fence higher than any before.
   * @param above by symbol, a number that the fence is higher than too
   * @returns the fence of each lease taken
   */
  take(above: ReadonlyMap<string, number>, by: { readonly holder: string; readonly leaseMs: number }): Promise<ReadonlyMap<string, number>>;
  /** Lets go of what an earlier process of this name held and cannot write any more. @returns the symbols */
  inherit(symbols: readonly string[], holder: string): Promise<ReadonlySet<string>>;
  /** @returns the symbols whose lease is still the holder's, under the same fence */
  renew(held: ReadonlyMap<string, number>, holder: string): Promise<ReadonlySet<string>>;
  /** Lets go, so that another may take it at once. */
  release(symbol: string, fence: number, holder: string): Promise<void>;
}
