import type { ReportSample } from './sample';

/** Windows of ten seconds in the minute after a packet. */
const WINDOWS = 6;

/** What is known of a packet a minute later. */
export interface LaterRead {
  readonly severity: number;
  readonly volatility: number;
}

interface Waiting {
  readonly severity: number;
  squares: number;
  windows: number;
}

/**
 * Realized volatility of the 60 s after each packet: the square root of the sum of the squares of six log returns, ln(mid / mid one window
 * before), of the mid at the ends of the six consecutive windows that follow T and that at T. It has no unit; 0.0001 is one basis point. A
 * window without a packet or a mid leaves the packets that wait for it without one.
 */
export class NextMinuteVolatility {
  private mid: number | null = null;
  private waiting: Waiting[] = [];

  /**
   * Takes the next packet and gives what has become known of one six windows ago.
   * @param follows whether the packet before is that of the window before
   * @param asked whether the volatility after this packet is asked for
   */
  add({ mid, severity }: Pick<ReportSample, 'mid' | 'severity'>, follows: boolean, asked: boolean): readonly LaterRead[] {
    if (!follows || mid === null || this.mid === null) this.waiting = [];
    else {
      const squared = Math.log(mid / this.mid) ** 2;
      for (const packet of this.waiting) {
        packet.squares += squared;
        packet.windows++;
      }
    }
    this.mid = mid;
    const known = this.waiting.filter(({ windows }) => windows === WINDOWS);
    this.waiting = this.waiting.filter(({ windows }) => windows < WINDOWS);
    if (asked && mid !== null) this.waiting.push({ severity, squares: 0, windows: 0 });
    return known.map((packet) => ({ severity: packet.severity, volatility: Math.sqrt(packet.squares) }));
  }
}
