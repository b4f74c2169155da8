import type { marketData } from '@market-state/contracts';

/** Control rows remembered: more than a minute of ticks. */
const REMEMBERED = 400;

/** When the newest control rows were received, for the packets whose windows they closed. */
export function createReceiveTimes() {
  const times = new Map<number, number>();
  return {
    note({ channel, sequence, receivedTsMs }: marketData.DataRow): void {
      if (channel !== 'control') return;
      times.set(sequence, receivedTsMs);
      const [oldest] = times.keys();
      if (times.size > REMEMBERED && oldest !== undefined) times.delete(oldest);
    },
    /** Milliseconds since the epoch; undefined where that row was not seen or is forgotten. */
    of: (ordinal: number): number | undefined => times.get(ordinal),
  };
}
