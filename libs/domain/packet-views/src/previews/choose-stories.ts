import { stagesAround, type Stages } from './stages';
import type { TapeEntry } from './tape-packet';

/** Why an event has a story. */
export type StoryRule = 'largest_severity' | 'newest_state_change';

export interface Story {
  readonly rule: StoryRule;
  readonly event: TapeEntry;
  readonly stages: Stages;
}

/** What each rule looks for, for those who read the stories. */
export const STORY_RULES: Readonly<Record<StoryRule, string>> = {
  largest_severity:
    'The packet with the largest context severity on the tape, the newest of several; packets with others on both sides come first.',
  newest_state_change:
    'The newest packet on the tape whose published state differs from the one before, outside the first story; packets with others ' +
    'on both sides come first.',
};

/** Packets needed before and after an event's run for a story. */
const NEIGHBOURS = 6;

function isWhole({ stages }: Story): boolean {
  return stages.before.length >= NEIGHBOURS && stages.after.length >= NEIGHBOURS;
}

function bestOf(stories: readonly Story[], isBetter: (a: Story, b: Story) => boolean): Story | undefined {
  const whole = stories.filter(isWhole);
  return (whole.length > 0 ? whole : stories).reduce<Story | undefined>(
    (best, story) => (best === undefined || isBetter(story, best) ? story : best),
    undefined,
  );
}

/** The stories of a tape, in the order of the rules; none for an empty tape. */
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
  const told = new Set(first.stages.during);
  const changed = tape.flatMap((entry, index) =>
    index > 0 && entry.packet.state !== tape[index - 1]?.packet.state && !told.has(entry) ? storyAt('newest_state_change', index) : [],
  );
  const second = bestOf(changed, () => true);
  return second === undefined ? [first] : [first, second];
}
