import { price, utc, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { StateMark } from '../../figures/state-mark';
import type { CompactPacket } from '../../packets/board';
import { severityWord, stateLabel } from '../../packets/words';
import { WideTable } from '../../figures/wide-table';
import styles from './symbol.module.css';

const ROWS = 30;

/** The charts' packets as a table, newest first; each leads to its page. */
export function PacketTable({ packets }: { readonly packets: readonly CompactPacket[] }) {
  return (
    <details className={styles['packets']}>
      <summary>The newest {Math.min(ROWS, packets.length)} packets as a table</summary>
      <WideTable label="Packets">
        <thead>
          <tr>
            <th scope="col">Window to, UTC</th>
            <th scope="col">Published state</th>
            <th scope="col">Raw winner</th>
            <th scope="col" className={styles['number']}>
              Mid, USD
            </th>
            <th scope="col" className={styles['number']}>
              Severity
            </th>
            <th scope="col" className={styles['number']}>
              Confidence
            </th>
            <th scope="col">Event class</th>
            <th scope="col">Flags</th>
          </tr>
        </thead>
        <tbody>
          {packets
            .slice(-ROWS)
            .reverse()
            .map((packet) => (
              <tr key={packet.event_id}>
                <th scope="row">
                  <Link href={`/packet/${packet.event_id}`}>{utc(Date.parse(packet.window_end_utc)).slice(11)}</Link>
                </th>
                <td>
                  <StateMark state={packet.state} /> {packet.state_label}
                </td>
                <td>{stateLabel(packet.winner_state)}</td>
                <td className={styles['number']}>{packet.mid_price === null ? 'not reported' : price(packet.mid_price)}</td>
                <td className={styles['number']}>
                  {packet.severity.score.toFixed(2)} {severityWord(packet.severity.severity_class)}
                </td>
                <td className={styles['number']}>{packet.confidence.score.toFixed(2)}</td>
                <td>{words(packet.event_class)}</td>
                <td>{packet.gap_flags.map(words).join(', ')}</td>
              </tr>
            ))}
        </tbody>
      </WideTable>
    </details>
  );
}
