import type { Schemas } from '@market-state/client';
import { PACKET_FRESH_MS } from '@market-state/packet-views';
import { z } from 'zod';
import { pick } from '../findings';
import type { Run } from '../session';
import { defineTool, list, metered, number, symbol } from './tool';

type Packet = Schemas['CompactPacket'];
type Latest = Schemas['CompactLatest'];

const UNUSABLE = 'insufficient_evidence';

const input = z.strictObject({
  symbols: z.array(symbol).min(1).max(20).optional().describe('Default: all that are served.'),
  ...metered,
});

export const overview = defineTool({
  name: 'overview',
  title: 'All markets at a glance',
  description:
    'State of each market: published state and its age, runner-up and margin, severity, confidence, freshness, gaps. ' +
    'Cost: 1 credit a symbol.',
  input,
  output: { rows: list, symbol_total: number, symbols_without_packet: list },
  calls: (args) => (args.symbols ?? ['ALL']).map((one) => ({ id: 'getLatest', params: { symbol: one, view: 'compact' } })),
  cheaper: ({ symbols, detail }) =>
    symbols !== undefined && symbols.length > 1 ? { tool: 'overview', arguments: { symbols: symbols.slice(0, 1), detail } } : null,
  async run(run, args) {
    const answers = await Promise.all((args.symbols ?? ['ALL']).map((one) => latestOf(run, one)));
    const packets = answers.flatMap(({ rows }) => rows as readonly Packet[]);
    const newestMs = Math.max(...answers.map(({ packet_freshness: { window_end_utc: utc } }) => Date.parse(utc)));
    const names = packets.map((packet) => packet.symbol);
    return {
      of: [answers[0] as Latest, ...answers.slice(1)],
      asOfUtc: new Date(newestMs).toISOString(),
      gapFlags: packets.flatMap((packet) => packet.gap_flags),
      fields: {
        symbol_total: packets.length,
        symbols_without_packet: answers.flatMap(({ packet_freshness: freshness }) => freshness.symbols_without_packet),
        rows: packets.map((packet) => (args.detail === 'full' ? wholeRow(packet, newestMs) : shortRow(packet, newestMs))),
      },
      lists: ['rows'],
      rest: ({ rows = 0 }) => ({ tool: 'overview', arguments: { symbols: names.slice(rows, rows + 20), detail: args.detail } }),
    };
  },
});

async function latestOf(run: Run, one: string): Promise<Latest> {
  return (await run.ask((ms, options) => ms.latest.get({ symbol: one, view: 'compact' }, options))) as Latest;
}

function shortRow(packet: Packet, newestMs: number) {
  const isLate = newestMs - Date.parse(packet.window_end_utc) > PACKET_FRESH_MS;
  return {
    symbol: packet.symbol,
    state: packet.state,
    winner_state: packet.winner_state,
    age_packets: packet.state_age_packets,
    runner_up: packet.runner_up_state,
    margin: packet.state_margin,
    severity: packet.severity.score,
    confidence: packet.confidence.score,
    window_end_utc: packet.window_end_utc,
    fail_closed: isLate || packet.state === UNUSABLE,
    ...(packet.gap_flags.length === 0 ? {} : { gap_flags: packet.gap_flags }),
  };
}

function wholeRow(packet: Packet, newestMs: number) {
  const levels = Object.fromEntries(Object.entries(packet.composites).map(([name, { score, level }]) => [name, { score, level }]));
  return {
    ...shortRow(packet, newestMs),
    event_class: packet.event_class,
    severity_class: packet.severity.severity_class,
    confidence_label: packet.confidence.label,
    ...pick(packet, 'headline', 'one_reason', 'one_against', 'next_check'),
    composites: levels,
    ...pick(packet, 'quality_class', 'response_state', 'event_id'),
  };
}
