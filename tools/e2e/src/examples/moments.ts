import { setTimeout as delay } from 'node:timers/promises';
import { waitUntil } from '@market-state/testing';
import { withKey } from '../system/api';
import { PLAYED, type Scene } from './scene';

/** The simulated market's script falls under selling pressure six minutes after the start. */
const SEVERE_MS = 20 * 60_000;
const GAP_MS = 20 * 60_000;
const LOOK_MS = 5_000;

interface CompactPacket {
  readonly event_id: string;
  readonly window_end_utc: string;
  readonly state: string;
  readonly severity: { readonly severity_class: string };
}

/** Polls every five seconds as the demo tenant, so that the desk's receipts are only for the calls shown. */
async function untilSeen(what: string, scene: Scene, path: string, isSo: (body: never) => boolean, deadlineMs: number): Promise<void> {
  const options = { headers: withKey(await scene.system.demoKey()) };
  await waitUntil(
    what,
    async () => {
      const response = await fetch(`${scene.system.url}${path}`, options);
      const isSeen = response.status === 200 && isSo((await response.json()) as never);
      if (isSeen) return true;
      await delay(LOOK_MS);
      return false;
    },
    deadlineMs,
  );
}

/** Waits for elevated severity in the simulated market's fall, and stores that packet as `event_id` with its end. */
export async function untilSevere(scene: Scene): Promise<void> {
  await untilSeen(
    'a packet of the fall',
    scene,
    `/api/public/market-state/latest?symbol=${PLAYED}&view=compact`,
    ({ rows: [packet] }: { readonly rows: readonly CompactPacket[] }) => {
      if (packet?.state !== 'pressure_building' || packet.severity.severity_class === 'routine_context') return false;
      scene.things.set('event_id', packet.event_id).set('window_end_utc', packet.window_end_utc);
      return true;
    },
    SEVERE_MS,
  );
}

/** End of the stored packet in epoch milliseconds. */
export function endOf(scene: Scene): number {
  return Date.parse(scene.thing('window_end_utc'));
}

/** Waits for a closed gap of the simulated market. */
export function untilGap(scene: Scene): Promise<void> {
  return untilSeen(
    'a gap',
    scene,
    `/api/public/data/gaps?symbol=${PLAYED}&limit=10`,
    ({ rows }: { readonly rows: readonly { readonly end_utc: string | null }[] }) => rows.some(({ end_utc: end }) => end !== null),
    GAP_MS,
  );
}
