import type { Fault } from '../feed/fault';
import { type Expectation, MINUTE_MS, SECOND_MS, type Scenario } from './scenario';

export const feedScenarios = {
  cold_start: faulty(
    'The venue answers, but no book and no trade has come yet.',
    2 * MINUTE_MS,
    [{ kind: 'silence', channels: ['book', 'trade'], fromMs: 0, toMs: 2 * MINUTE_MS }],
    [
      during(0, 2 * MINUTE_MS, 'state', 'insufficient_evidence', 1),
      during(0, 2 * MINUTE_MS, 'source', 'book:missing', 1),
      during(0, 2 * MINUTE_MS, 'source', 'trades:missing', 1),
      during(0, 2 * MINUTE_MS, 'confidence_label', 'low', 1),
    ],
  ),
  venue_silence: faulty(
    'Books and trades stop for four minutes while the connection stays up; then they resume.',
    8 * MINUTE_MS,
    [{ kind: 'silence', channels: ['book', 'trade'], fromMs: 2 * MINUTE_MS, toMs: 6 * MINUTE_MS }],
    [
      during(130 * SECOND_MS, 6 * MINUTE_MS, 'state', 'replay_context_ready', 1),
      during(130 * SECOND_MS, 6 * MINUTE_MS, 'event_class', 'retained_context_only', 1),
      during(130 * SECOND_MS, 6 * MINUTE_MS, 'market_read_direction', 'no_current_read', 1),
      during(130 * SECOND_MS, 6 * MINUTE_MS, 'source', 'book:partial', 1),
      during(190 * SECOND_MS, 6 * MINUTE_MS, 'source', 'trades:partial', 1),
    ],
  ),
  context_stale: faulty(
    'Funding and open interest stop while books and trades continue.',
    8 * MINUTE_MS,
    [{ kind: 'silence', channels: ['context'], fromMs: MINUTE_MS, toMs: 7 * MINUTE_MS }],
    [
      during(190 * SECOND_MS, 7 * MINUTE_MS, 'gap_flag', 'context_stale', 1),
      during(190 * SECOND_MS, 7 * MINUTE_MS, 'source', 'asset_context:partial', 1),
    ],
  ),
  limited_venue: faulty(
    'The venue reconnects and reports only books and trades; at the end all channels are back.',
    8 * MINUTE_MS,
    [{ kind: 'limited_venue', channels: ['book', 'trade'], fromMs: 30 * SECOND_MS, toMs: 450 * SECOND_MS }],
    [
      during(40 * SECOND_MS, 440 * SECOND_MS, 'source', 'asset_context:missing', 1),
      during(40 * SECOND_MS, 440 * SECOND_MS, 'source', 'liquidations:missing', 1),
      during(40 * SECOND_MS, 440 * SECOND_MS, 'quality_class', 'usable', 0.8),
      during(40 * SECOND_MS, 320 * SECOND_MS, 'gap_flag', 'feed_reconnected', 1),
    ],
  ),
  book_gap: faulty(
    'Books are lost twice: for three seconds, then for twenty, which leaves the book stale; each time the feed resynchronizes.',
    8 * MINUTE_MS,
    [
      { kind: 'channel_gap', channel: 'book', fromMs: 61 * SECOND_MS, toMs: 64 * SECOND_MS },
      { kind: 'channel_gap', channel: 'book', fromMs: 182 * SECOND_MS, toMs: 202 * SECOND_MS },
    ],
    [
      during(70 * SECOND_MS, 8 * MINUTE_MS, 'gap_flag', 'book_gap', 1),
      during(190 * SECOND_MS, 200 * SECOND_MS, 'state', 'replay_context_ready', 1),
    ],
  ),
  trade_gap: faulty(
    'Trades are lost for half a minute and the feed resynchronizes; books continue.',
    8 * MINUTE_MS,
    [{ kind: 'channel_gap', channel: 'trade', fromMs: 65 * SECOND_MS, toMs: 95 * SECOND_MS }],
    [during(70 * SECOND_MS, 6 * MINUTE_MS, 'gap_flag', 'trade_gap', 1)],
  ),
  reconnect: faulty(
    'The connection is lost for forty seconds and comes back; nothing of that time is recovered.',
    8 * MINUTE_MS,
    [{ kind: 'disconnect', fromMs: MINUTE_MS, toMs: 100 * SECOND_MS }],
    [
      during(70 * SECOND_MS, 100 * SECOND_MS, 'state', 'replay_context_ready', 1),
      during(110 * SECOND_MS, 390 * SECOND_MS, 'gap_flag', 'feed_reconnected', 1),
      during(110 * SECOND_MS, 390 * SECOND_MS, 'gap_flag', 'book_gap', 1),
      during(70 * SECOND_MS, 70 * SECOND_MS, 'transition_type', 'lineage_context_pending', 1),
    ],
  ),
  late_events: faulty(
    'Some books and trades arrive fourteen seconds late, after their windows have closed.',
    8 * MINUTE_MS,
    [{ kind: 'stall', share: 0.05, delayMs: 14_000, fromMs: 30 * SECOND_MS, toMs: 3 * MINUTE_MS }],
    [
      during(MINUTE_MS, 8 * MINUTE_MS, 'gap_flag', 'late_events', 1),
      during(MINUTE_MS, 8 * MINUTE_MS, 'event_class', 'balanced_two_sided_context', 0.6),
    ],
  ),
  duplicates: faulty(
    'One book, trade or liquidation in ten is sent twice, up to half a minute apart.',
    8 * MINUTE_MS,
    [{ kind: 'repeats', share: 0.1, fromMs: 0, toMs: 7 * MINUTE_MS }],
    [during(MINUTE_MS, 8 * MINUTE_MS, 'event_class', 'balanced_two_sided_context', 0.6)],
  ),
  recording_seam: faulty(
    'A recording ends and restarts after a gap of twelve seconds; prices and positions start over.',
    8 * MINUTE_MS,
    [{ kind: 'seam', fromMs: 65 * SECOND_MS, toMs: 77 * SECOND_MS }],
    [
      during(80 * SECOND_MS, 370 * SECOND_MS, 'gap_flag', 'recording_seam', 1),
      during(80 * SECOND_MS, 80 * SECOND_MS, 'transition_type', 'lineage_context_pending', 1),
    ],
  ),
  feed_down: faulty(
    'The feed itself is down for four minutes: not even ticks are written.',
    10 * MINUTE_MS,
    [{ kind: 'feed_down', fromMs: 65 * SECOND_MS, toMs: 305 * SECOND_MS }],
    [
      during(310 * SECOND_MS, 590 * SECOND_MS, 'gap_flag', 'feed_reconnected', 1),
      during(310 * SECOND_MS, 310 * SECOND_MS, 'transition_type', 'lineage_context_pending', 1),
      during(310 * SECOND_MS, 6 * MINUTE_MS, 'quality_class', 'limited', 1),
    ],
  ),
} as const satisfies Record<string, Scenario>;

function faulty(description: string, episodeMs: number, faults: readonly Fault[], expects: readonly Expectation[]): Scenario {
  return { description, episodeMs, conditions: () => ({}), faults, expects };
}

function during(fromMs: number, toMs: number, aspect: Expectation['aspect'], word: string, share: number): Expectation {
  return { aspect, anyOf: [word], share, span: { fromMs, toMs } };
}
