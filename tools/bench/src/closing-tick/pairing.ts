/** Ticks and packets of windows that belong together, by symbol and window end. */
export class Pairing {
  /** From the tick to the packet, milliseconds, of every window that has both. */
  readonly delaysMs: number[] = [];
  private readonly ticks = new Map<string, number>();
  private readonly packets = new Map<string, number>();

  tick(symbol: string, windowEndMs: number, atMs: number): void {
    const id = `${symbol} ${windowEndMs}`;
    this.ticks.set(id, atMs);
    this.pair(id);
  }

  packet(symbol: string, windowEndMs: number, atMs: number): void {
    const id = `${symbol} ${windowEndMs}`;
    this.packets.set(id, atMs);
    this.pair(id);
  }

  /** Windows whose tick was seen, but not their packet. */
  get missing(): readonly string[] {
    return [...this.ticks.keys()];
  }

  private pair(id: string): void {
    const [tickMs, packetMs] = [this.ticks.get(id), this.packets.get(id)];
    if (tickMs === undefined || packetMs === undefined) return;
    this.delaysMs.push(packetMs - tickMs);
    this.ticks.delete(id);
    this.packets.delete(id);
  }
}
