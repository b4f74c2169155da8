import type { Packet } from '@market-state/labeler';
import { type LiveLink, liveLinks } from '../../serving/answers/live-links';
import type { ServedPacket } from '../../clients/packet-client';
import type { PastReach } from '../../serving/answers/handler';

/**
 * Reach of a response about an event up to an instant; includes the time when its packet turns stale, because the
 * response reports freshness.
 */
export function pastOf({ symbol, freshUntilMs }: ServedPacket, speaksToMs: number): PastReach {
  return { symbols: [symbol], throughMs: Math.max(speaksToMs, freshUntilMs), upToNewest: false };
}

/** A replay with these parameters ends with the packet whose cursor it gets, without gaps. */
export const LAST_THIRTY = { replay_window_seconds: 300, limit: 30 } as const;

export function eventLinks({ event_id, symbol, replay, scope }: Packet): LiveLink[] {
  const path = { event_id };
  const window = { start: String(Date.parse(scope.window_start_utc) + 1), end: String(Date.parse(scope.window_end_utc) + 1) };
  return liveLinks([
    { rel: 'evidence', operationId: 'getEventEvidence', path, purpose: 'The inputs of the packet, and the decision made on them.' },
    { rel: 'verify', operationId: 'verifyEvent', path, purpose: 'Recomputes the packet from stored rows and compares the digests.' },
    {
      rel: 'workbench',
      operationId: 'getPacketWorkbench',
      path,
      purpose: 'The packet with thirty on each side, and the steps that may follow.',
    },
    { rel: 'postmortem', operationId: 'getPostmortem', path, purpose: 'Before, during and after the event.' },
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
      purpose: 'All stored rows of the window, including the packet.',
    },
    { rel: 'join_spec', operationId: 'getEventJoinSpec', path, purpose: 'How the packet joins the rows of its window.' },
    { rel: 'signing_keys', operationId: 'getSigningKeys', purpose: 'The public keys for verifying signatures.' },
  ]);
}
