import type { Schemas } from '@market-state/client';
import { Counter, Gauge, Registry } from 'prom-client';

type Packet = Schemas['CompactPacket'];
type Composite = keyof Packet['composites'];

const COMPOSITES: readonly Composite[] = ['pressure', 'flow', 'fragility', 'crowding', 'forced_flow', 'regime'];

export interface SymbolMetrics {
  readonly registry: Registry;
  /** Shows a packet as the newest of its symbol. */
  observe(packet: Packet): void;
  connected(isOpen: boolean): void;
  /** Packets that this reader was too slow for. */
  skipped(symbol: string, total: number): void;
  creditsLeft(credits: number): void;
}

/** Series whose label is a value of the packet. */
type LabelledGauge = readonly [Gauge<string>, Readonly<Record<string, string>>];

/** Metrics of the newest packet of each symbol. A value that a packet does not report has no series, never 0. */
export function createSymbolMetrics(): SymbolMetrics {
  const registry = new Registry();
  const registers = [registry];
  const gauge = <L extends string>(name: string, help: string, labelNames: readonly L[]): Gauge<L> =>
    new Gauge({ name: `market_state_${name}`, help, labelNames, registers });
  const counter = <L extends string>(name: string, help: string, labelNames: readonly L[]): Counter<L> =>
    new Counter({ name: `market_state_${name}`, help, labelNames, registers });

  const state = gauge('state', '1 for the published state of a symbol; other states have no series.', ['symbol', 'state']);
  const response = gauge('response_state', '1 for the response state of a symbol, such as live_current.', ['symbol', 'response_state']);
  const quality = gauge('quality_class', '1 for the quality class of a symbol.', ['symbol', 'quality_class']);
  const age = gauge('state_age_packets', 'Consecutive packets in the published state.', ['symbol']);
  const margin = gauge('state_margin_ratio', 'Score of the winning state minus that of the runner-up, 0 to 1.', ['symbol']);
  const severity = gauge('severity_score_ratio', 'Severity score, 0 to 1.', ['symbol']);
  const confidence = gauge('confidence_score_ratio', 'Confidence score, 0 to 1.', ['symbol']);
  const composite = gauge('composite_score_ratio', 'Composite score, 0 to 1.', ['symbol', 'composite']);
  const mid = gauge('mid_price', 'Mean of best bid and best ask at the window end, in quote currency.', ['symbol']);
  const gaps = gauge('gap_flags', 'Gap flags of the newest packet.', ['symbol']);
  const windowEnd = gauge('window_end_timestamp_seconds', 'Window end of the newest packet, seconds since the epoch.', ['symbol']);
  const packets = counter('packets_total', 'Packets received.', ['symbol']);
  const skippedPackets = counter('skipped_packets_total', 'Packets that the service skipped because this reader was too slow.', ['symbol']);
  const connection = gauge('stream_connected', '1 while the stream is open.', []);
  const credits = gauge('credits_left', 'Credits left of --max-credits.', []);
  const states = new Map<string, readonly LabelledGauge[]>();
  connection.set(0);

  return {
    registry,
    observe(packet) {
      const { symbol } = packet;
      const labels = { symbol };
      for (const [metric, had] of states.get(symbol) ?? []) metric.remove(had);
      const current: readonly LabelledGauge[] = [
        [state, { symbol, state: packet.state }],
        [response, { symbol, response_state: packet.response_state }],
        [quality, { symbol, quality_class: packet.quality_class }],
      ];
      for (const [metric, has] of current) metric.set(has, 1);
      states.set(symbol, current);
      age.set(labels, packet.state_age_packets);
      margin.set(labels, packet.state_margin);
      severity.set(labels, packet.severity.score);
      confidence.set(labels, packet.confidence.score);
      gaps.set(labels, packet.gap_flags.length);
      windowEnd.set(labels, Date.parse(packet.window_end_utc) / 1_000);
      setReported(mid, labels, packet.mid_price);
      for (const name of COMPOSITES) setReported(composite, { symbol, composite: name }, packet.composites[name].score);
      packets.inc(labels);
    },
    connected: (isOpen) => connection.set(isOpen ? 1 : 0),
    skipped: (symbol, total) => skippedPackets.inc({ symbol }, total),
    creditsLeft: (left) => credits.set(left),
  };
}

function setReported<L extends string>(metric: Gauge<L>, labels: Record<L, string>, value: number | null): void {
  if (value === null) metric.remove(labels);
  else metric.set(labels, value);
}
