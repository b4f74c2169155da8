import { demoLoop } from '@market-state/scenarios';

const ANSWER_MS_MAX = 2_000;
const NAME_WIDTH = 22;

/** When the simulated venue's round began, epoch milliseconds; undefined where it does not say. */
export async function roundBeganMs(address: string): Promise<number | undefined> {
  try {
    const answer = await fetch(`http://${address}/round`, { method: 'POST', signal: AbortSignal.timeout(ANSWER_MS_MAX) });
    const { began_ms: beganMs } = (await answer.json()) as { began_ms?: unknown };
    return typeof beganMs === 'number' ? beganMs : undefined;
  } catch {
    return undefined;
  }
}

/** What the round plays and when, in words for whoever started the system. */
export function roundLines(beganMs: number): string[] {
  return [
    'SIMUSD-PERP plays a round of 20 minutes again and again, synthetic throughout. This round, in UTC:',
    ...demoLoop.map(
      ({ fromMs, name, description }) =>
        `  ${new Date(beganMs + fromMs).toISOString().slice(11, 19)}  ${name.padEnd(NAME_WIDTH)}${description}`,
    ),
    'Packets read three minutes of it, so they follow an episode by one to two minutes: apps/simulated-venue/README.md says when.',
  ];
}
