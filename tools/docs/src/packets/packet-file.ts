import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { readPacketRow, type Packet, type PacketRow } from '@market-state/labeler';
import type { ScenarioName } from '@market-state/scenarios';
import { workspaceFolder } from '../site/page';

export type WordKind = 'states' | 'event_classes';

/** Log of a packet: a bundled recording at its own times, or a library scenario. */
export type PacketLog = { readonly recording: string } | { readonly scenario: ScenarioName; readonly seed: number; readonly hours: number };

export interface PacketChoice {
  readonly kind: WordKind;
  readonly word: string;
  readonly log: PacketLog;
  /** T of the packet, RFC 3339. */
  readonly windowEndUtc: string;
}

const BTC: PacketLog = { recording: 'BTCUSD-PERP' };
const ETH: PacketLog = { recording: 'ETHUSD-PERP' };
const demo: PacketLog = scenario('demo', 0.25);

/**
 * Each word's packet: from a recording that shows the word clearly, else from the demonstration of `npm start`, or from
 * a scenario in which nothing else stands out.
 */
export const packetChoices: readonly PacketChoice[] = [
  choice('states', 'insufficient_evidence', demo, '2026-01-05T00:00:30Z'),
  choice('states', 'replay_context_ready', scenario('venue_silence', 1.1), '2026-01-05T01:05:10Z'),
  choice('states', 'pressure_building', BTC, '2024-08-08T23:58:40Z'),
  choice('states', 'flow_shift_watch', BTC, '2024-08-09T00:04:40Z'),
  choice('states', 'fragile_depth_watch', scenario('thinning', 1.1), '2026-01-05T01:03:20Z'),
  choice('states', 'depth_watch', scenario('bid_pressure', 1.1), '2026-01-05T01:04:40Z'),
  choice('states', 'crowding_shift', scenario('funding_spike', 1.1), '2026-01-05T01:03:10Z'),
  choice('states', 'crowding_persistent', scenario('crowding_persists', 1.25), '2026-01-05T01:13:20Z'),
  choice('states', 'regime_transition_candidate', scenario('volatility_up', 1.15), '2026-01-05T01:06:40Z'),
  choice('states', 'market_state_watch', ETH, '2024-08-08T23:58:50Z'),
  choice('event_classes', 'retained_context_only', demo, '2026-01-05T00:10:10Z'),
  choice('event_classes', 'bid_pressure_confirmed_by_buy_flow', demo, '2026-01-05T00:02:20Z'),
  choice('event_classes', 'ask_pressure_confirmed_by_sell_flow', BTC, '2024-08-08T23:58:10Z'),
  choice('event_classes', 'bid_depth_absorption_against_sell_flow', scenario('bid_absorption', 1.1), '2026-01-05T01:03:10Z'),
  choice('event_classes', 'ask_depth_absorption_against_buy_flow', demo, '2026-01-05T00:04:40Z'),
  choice('event_classes', 'trade_flow_leading_visible_book', ETH, '2024-08-09T00:03:40Z'),
  choice('event_classes', 'visible_depth_pressure_without_trade_confirmation', BTC, '2024-08-08T23:56:50Z'),
  choice('event_classes', 'funding_oi_crowding_context', scenario('open_interest_surge', 1.2), '2026-01-05T01:10:00Z'),
  choice('event_classes', 'balanced_two_sided_context', ETH, '2024-08-08T23:57:50Z'),
];

function choice(kind: WordKind, word: string, log: PacketLog, windowEndUtc: string): PacketChoice {
  return { kind, word, log, windowEndUtc };
}

function scenario(name: ScenarioName, hours: number): PacketLog {
  return { scenario: name, seed: 1, hours };
}

/** Source of a documentation packet, so that anyone can recompute it. */
interface PacketSource {
  readonly log: string;
  readonly window_end_utc: string;
  /** Commands that write all packets of that log; the one with this T equals this packet byte for byte. */
  readonly commands: readonly string[];
}

interface PacketFile {
  readonly word: string;
  readonly kind: WordKind;
  readonly source: PacketSource;
  readonly row: PacketRow;
}

export function packetFolder(): string {
  return join(workspaceFolder, 'docs', 'site', 'packets');
}

/** @throws Error if there is none, LineError naming every fault of an invalid row */
export function readPacketFile(word: string): PacketFile {
  const file = JSON.parse(readFileSync(join(packetFolder(), `${word}.json`), 'utf8')) as Omit<PacketFile, 'row'> & {
    readonly row: unknown;
  };
  return { ...file, row: readPacketRow(file.row) };
}

export function packetOf(word: string): Packet {
  return readPacketFile(word).row.packet;
}
