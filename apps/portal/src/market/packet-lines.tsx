import { Facts } from '../controls/facts';
import { words } from '@market-state/packet-figures';
import type { CompactPacket } from '../packets/live-markets';
import { severityText, stateLabel } from '../packets/words';
import styles from './market.module.css';

export function PacketLines({ packet }: { readonly packet: CompactPacket }) {
  const facts: readonly (readonly [string, string])[] = [
    ['raw winner', `${stateLabel(packet.winner_state)}, ${packet.state_margin.toFixed(2)} over ${stateLabel(packet.runner_up_state)}`],
    ['event class', words(packet.event_class)],
    ['severity', severityText(packet.severity)],
    ['confidence', `${packet.confidence.score.toFixed(2)} ${packet.confidence.label}`],
    ['quality', [packet.quality_class, ...packet.gap_flags.map(words)].join(', ')],
  ];
  return (
    <>
      <Facts className={styles['line']} facts={facts.map(([name, value]) => [name, value])} />
      <ul className={styles['says']}>
        <li>
          <b>for</b> {packet.one_reason}
        </li>
        <li>
          <b>against</b> {packet.one_against}
        </li>
        <li>
          <b>next</b> {packet.next_check}
        </li>
      </ul>
    </>
  );
}
