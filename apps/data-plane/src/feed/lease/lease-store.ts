/** Who may append to the log of each symbol: the feed whose fence is the newest, as long as it renews its lease. */
export interface LeaseStore {
  /**
   * Takes the leases that are free: never taken, let go, or not renewed for so long. Each gets a fence higher than any before.
   * @param above the fence is higher than this too, by symbol
   * @param reclaims also those of the same holder: an earlier process under its name
   * @returns the fence of each lease taken
   */
  take(
    above: ReadonlyMap<string, number>,
    by: { readonly holder: string; readonly reclaims: boolean; readonly leaseMs: number },
  ): Promise<ReadonlyMap<string, number>>;
  /** @returns the symbols whose lease is still the holder's, under the same fence */
  renew(held: ReadonlyMap<string, number>, holder: string): Promise<ReadonlySet<string>>;
  /** Lets go, so that another may take it at once. */
  release(symbol: string, fence: number, holder: string): Promise<void>;
}
