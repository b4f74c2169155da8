import type { Packet } from '@market-state/labeler';
import { type LiveLink, liveLinks } from '../../serving/answers/live-links';
import type { ServedPacket } from '../../clients/packet-client';
import type { PastReach } from '../../serving/answers/handler';

/** What an answer reaches that speaks of an event up to an instant, milliseconds since the epoch, and says whether its packet is fresh. */
export function pastOf({ symbol, freshUntilMs }: ServedPacket, speaksToMs: number): PastReach {
  return { symbols: [symbol], throughMs: Math.max(speaksToMs, freshUntilMs), upToNewest: false };
}

/** A replay of so many packets ends with the one whose cursor it takes, none left out. */
export const LAST_THIRTY = { replay_window_seconds: 300, limit: 30 } as const;

/** Where an event opens further. */
export function eventLinks({ event_id, symbol, replay, scope }: Packet): LiveLink[] {
  const path = { event_id };
  const window = { start: String(Date.parse(scope.window_start_utc) + 1), end: String(Date.parse(scope.window_end_utc) + 1) };
  return liveLinks([
    { rel: 'evidence', operationId: 'getEventEvidence', path, purpose: 'What the packet was made of, and what was decided on it.' },
    { rel: 'verify', operationId: 'verifyEvent', path, purpose: 'Makes the packet again from kept rows and compares the digests.' },
    {
      rel: 'workbench',
      operationId: 'getPacketWorkbench',
      path,
      purpose: 'The packet among thirty on each side, with the steps that may follow.',
    },
    { rel: 'postmortem', operationId: 'getPostmortem', path, purpose: 'What came before, during and after.' },
    {
      rel: 'replay',
      operationId: 'replayPackets',
      query: { symbol, ...LAST_THIRTY, cursor: replay.cursor },
      purpose: 'The thirty packets that end with this one.',
    },
    {
      rel: 'window_rows',
      operationId: 'getReplayWindow',
      query: { symbol, ...window },
      purpose: 'Every stored row of the window, the packet among them.',
    },
    { rel: 'join_spec', operationId: 'getEventJoinSpec', path, purpose: 'How the packet joins the rows of its window.' },
    { rel: 'signing_keys', operationId: 'getSigningKeys', purpose: 'The public keys that signatures are checked by.' },
  ]);
}
