import type { Data } from '@market-state/client';
import { counted, words } from '@market-state/packet-figures';

/** One channel on one UTC day. */
export type Day = Data<'getDataCondition'>['rows'][number];

/** Days of each channel, in the order in which they come. */
export function daysByChannel(days: readonly Day[]): readonly (readonly [channel: string, days: readonly Day[]])[] {
  const channels = [...new Set(days.map(({ channel }) => channel))];
  return channels.map((channel) => [channel, days.filter((day) => day.channel === channel)]);
}

/** Whether the venue reports the channel of these days. */
export function isReported(days: readonly Day[]): boolean {
  return days.some(({ reasons }) => !reasons.includes('channel_not_reported'));
}

/** How many of a channel's days are whole, and what the others are. */
export function channelSentence(days: readonly Day[]): string {
  if (!isReported(days)) return 'not reported by the venue';
  const total = (condition: Day['condition']): number => days.filter((day) => day.condition === condition).length;
  const over = days.length - total('pending');
  return [
    over === 0 ? '' : `${total('available')} of ${counted(over, 'day')} whole`,
    total('degraded') === 0 ? '' : `${total('degraded')} with something missing`,
    total('missing') === 0 ? '' : `${total('missing')} without rows`,
    total('pending') === 0 ? '' : `today ${observedWords(days.find(({ condition }) => condition === 'pending'))} so far`,
  ]
    .filter((part) => part !== '')
    .join(', ');
}

/** Rounded down, so that a day with a hole never reads as whole. */
export function observedWords(day: Pick<Day, 'completeness'> | undefined): string {
  const percent = Math.floor((day?.completeness ?? 0) * 10_000) / 100;
  return `${percent} %`;
}

/** A day in one line. */
export function dayTitle(day: Day): string {
  const why = day.reasons.length === 0 ? '' : `: ${day.reasons.map(words).join(', ')}`;
  return `${day.date}, ${day.condition}, ${observedWords(day)} observed${why}`;
}
