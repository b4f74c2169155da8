import type { TapeEntry } from './tape-packet';

/** Newest packets among which the sample is chosen: ten minutes. */
const CHOSEN_FROM = 60;

/** How the sample is chosen, for those who read it. */
export const SAMPLE_RULE = `Of the newest ${CHOSEN_FROM} packets on the tape, the newest of those that crossed the most thresholds.`;

/** The packet that shows most of how packets are made; undefined on an empty tape. */
export function chooseSample(tape: readonly TapeEntry[]): TapeEntry | undefined {
  const crossed = ({ packet }: TapeEntry): number => packet.event_severity.threshold_crossing_total;
  return tape
    .slice(-CHOSEN_FROM)
    .reduce<TapeEntry | undefined>((best, entry) => (best === undefined || crossed(entry) >= crossed(best) ? entry : best), undefined);
}
