/** Statuses after which the same call is made again: the plan's calls at once are used up, or something is busy. */
const PASSING = [429, 503, 504];

/** How long a call is made again, and how often, milliseconds. */
export const AGAIN_MS = { limitMs: 180_000, everyMs: 500 };

export function isPassing(status: number): boolean {
  return PASSING.includes(status);
}
