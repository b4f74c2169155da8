import { WINDOW_MS } from '@market-state/market-data';
import type { TapeEntry } from './tape-row';

export const STAGE_PACKETS = 12;

export type StageName = 'before' | 'during' | 'after';

interface Stages extends Readonly<Record<StageName, readonly TapeEntry[]>> {
  /** Every packet from the first stage to the last, including those of the run that `during` leaves out. */
  readonly chain: readonly TapeEntry[];
}

function isSameRun(a: TapeEntry, b: TapeEntry): boolean {
  return a.packet.state === b.packet.state && a.packet.event_class === b.packet.event_class && b.windowEndMs - a.windowEndMs === WINDOW_MS;
}

/**
 * `during` is the unbroken run of packets with the event's published state and event class, at most twelve; `before`
 * and `after` are up to twelve on either side of the run.
 */
function stagesAround(tape: readonly TapeEntry[], index: number): Stages {
  const event = tape[index];
  if (event === undefined) return { before: [], during: [], after: [], chain: [] };
  let start = index;
  let end = index;
  for (let previous = tape[start - 1]; previous !== undefined && isSameRun(previous, tape[start] ?? event); previous = tape[start - 1])
    start -= 1;
  for (let next = tape[end + 1]; next !== undefined && isSameRun(tape[end] ?? event, next); next = tape[end + 1]) end += 1;
  const shownFrom = Math.max(start, Math.min(index - STAGE_PACKETS / 2, end - STAGE_PACKETS + 1));
  const shownTo = Math.min(end + 1, shownFrom + STAGE_PACKETS);
  const before = tape.slice(Math.max(0, start - STAGE_PACKETS), start);
  const after = tape.slice(end + 1, end + 1 + STAGE_PACKETS);
  return {
    before,
    during: tape.slice(shownFrom, shownTo),
    after,
    chain: tape.slice(before.length === 0 ? shownFrom : start - before.length, after.length === 0 ? shownTo : end + 1 + after.length),
  };
}

const CHOSEN_FROM = 60;

/** Shown to readers. */
export const SAMPLE_RULE = `Of the newest ${CHOSEN_FROM} packets on the tape, the newest of those that crossed the most thresholds.`;

/** Picks the recent packet that crossed the most thresholds; undefined on an empty tape. */
export function chooseSample(tape: readonly TapeEntry[]): TapeEntry | undefined {
  const crossed = ({ packet }: TapeEntry): number => packet.event_severity.threshold_crossing_total;
  return tape
    .slice(-CHOSEN_FROM)
    .reduce<TapeEntry | undefined>((best, entry) => (best === undefined || crossed(entry) >= crossed(best) ? entry : best), undefined);
}

type StoryRule = 'largest_severity' | 'newest_state_change';

export interface Story {
  readonly rule: StoryRule;
  readonly event: TapeEntry;
  readonly stages: Stages;
}

/** Shown to readers. */
export const STORY_RULES: Readonly<Record<StoryRule, string>> = {
  largest_severity:
    'The packet with the largest context severity on the tape, the newest of several; packets with others on both sides come first.',
  newest_state_change:
    'The newest packet on the tape whose published state differs from the one before, outside the first story; packets with others ' +
    'on both sides come first.',
};

const ADJACENT_PACKETS = 6;

function isWhole({ stages }: Story): boolean {
  return stages.before.length >= ADJACENT_PACKETS && stages.after.length >= ADJACENT_PACKETS;
}

function bestOf(stories: readonly Story[], isBetter: (a: Story, b: Story) => boolean): Story | undefined {
  const whole = stories.filter(isWhole);
  return (whole.length > 0 ? whole : stories).reduce<Story | undefined>(
    (best, story) => (best === undefined || isBetter(story, best) ? story : best),
    undefined,
  );
}

/** Stories of a tape in the order of the rules; empty for an empty tape. */
export function chooseStories(tape: readonly TapeEntry[]): Story[] {
  const storyAt = (rule: StoryRule, index: number): Story[] => {
    const event = tape[index];
    return event === undefined ? [] : [{ rule, event, stages: stagesAround(tape, index) }];
  };
  const severity = ({ event }: Story): number => event.packet.event_severity.score;
  const first = bestOf(
    tape.flatMap((_entry, index) => storyAt('largest_severity', index)),
    (a, b) => severity(a) >= severity(b),
  );
  if (first === undefined) return [];
  const inFirst = new Set(first.stages.during);
  const changed = tape.flatMap((entry, index) =>
    index > 0 && entry.packet.state !== tape[index - 1]?.packet.state && !inFirst.has(entry) ? storyAt('newest_state_change', index) : [],
  );
  const second = bestOf(changed, () => true);
  return second === undefined ? [first] : [first, second];
}
