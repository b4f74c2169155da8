import type { RehearsedSetting } from '@market-state/alert-rules/rehearsal';
import type { Outcome } from './rehearse-here';

/**
 * Settings at which a rule would have flapped less in the span that was rehearsed, by how long they wait: each flaps less than the one
 * before it. One that never fires is not calm but silent.
 */
export function calmerSettings(
  { settings, flaps }: Pick<Outcome, 'settings' | 'flaps'>,
  minConsecutive: number,
): readonly RehearsedSetting[] {
  const calmer: RehearsedSetting[] = [];
  for (const setting of [...settings].sort((a, b) => a.minConsecutive - b.minConsecutive)) {
    const least = calmer.at(-1)?.flaps ?? flaps;
    if (setting.minConsecutive > minConsecutive && setting.triggered > 0 && setting.flaps < least) calmer.push(setting);
  }
  return calmer;
}
