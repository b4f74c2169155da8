/** How many calls are metered, and through how many kills. */
export interface MeteredSettings {
  readonly calls: number;
  /** Half of account, half of gateways. */
  readonly kills: number;
  /** Whether to wait until the leases of dead gateways were released by themselves: 90 s. */
  readonly untilReleased: boolean;
  readonly random: () => number;
  readonly say: (line: string) => void;
}
