import type { Fault } from '../feed/fault';
import type { Scenario } from '../scenario/scenario';
import { demoEpisodes, demoFundingPerHour } from './demo-episodes';
import type { PlacedEpisode } from './episode';

/** The episodes of the demonstration, each in its place in the loop, which begins anew after the last one. */
export const demoLoop: readonly PlacedEpisode[] = demoEpisodes.reduce<readonly PlacedEpisode[]>(
  (placed, episode) => [...placed, { ...episode, fromMs: endOf(placed) }],
  [],
);

/** The loop as a scenario: one round of it is an episode. */
export const demoScenario: Scenario = {
  description: 'A demonstration: a round in which every state, event class and severity occurs.',
  episodeMs: endOf(demoLoop),
  conditions(atMs) {
    const episode = demoLoop.findLast(({ fromMs }) => fromMs <= atMs);
    return { ...episode?.conditions(atMs - episode.fromMs), fundingPerHour: demoFundingPerHour(atMs) };
  },
  faults: demoLoop.flatMap(({ fromMs, faults = [] }) =>
    faults.map((fault): Fault => ({ ...fault, fromMs: fromMs + fault.fromMs, toMs: fromMs + fault.toMs })),
  ),
  expects: [],
};

function endOf(placed: readonly PlacedEpisode[]): number {
  const last = placed.at(-1);
  return last === undefined ? 0 : last.fromMs + last.lengthMs;
}
