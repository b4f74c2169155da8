import { timeLimit } from '@market-state/lifecycle';
const ANSWER_MS_MAX = 2_000;
const NAME_WIDTH = 22;

/** The round of the simulated market as its venue says it. */
interface Round {
  /** Epoch milliseconds. */
  readonly began_ms: number;
  readonly episodes: readonly { readonly from_ms: number; readonly name: string; readonly description: string }[];
}

/** What the simulated market plays and when, in words for whoever started the system; none where its venue does not answer. */
export async function roundLines(venueAddress: string): Promise<string[]> {
  try {
    const answer = await fetch(`http://${venueAddress}/round`, { method: 'POST', signal: timeLimit(ANSWER_MS_MAX) });
    return answer.ok ? linesOf((await answer.json()) as Round) : [];
  } catch {
    return [];
  }
}

function linesOf({ began_ms: beganMs, episodes }: Round): string[] {
  if (episodes.length === 0) return [];
  return [
    'SIMUSD-PERP plays a round of 20 minutes again and again, synthetic throughout. This round, in UTC:',
    ...episodes.map(
      ({ from_ms: fromMs, name, description }) =>
        `  ${new Date(beganMs + fromMs).toISOString().slice(11, 19)}  ${name.padEnd(NAME_WIDTH)}${description}`,
    ),
    'Packets read three minutes of it, so they follow an episode by one to two minutes: apps/simulated-venue/README.md says when.',
  ];
}
