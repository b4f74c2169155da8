import { counted, price, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { StateMark } from '../figures/state-mark';
import type { CompactPacket } from '../packets/board';
import { Severity, stateLabel } from '../packets/words';
import { WideTable } from '../figures/wide-table';
import { clockBelow, zoned } from '../time/clock';
import styles from './market.module.css';
import { OpenPart } from './open-part';

interface PacketTableProps {
  readonly packets: readonly CompactPacket[];
  /** The newest of so many are shown. */
  readonly rowsMax: number;
}

/** The charts' packets as a table, newest first; each leads to its page. */
export function PacketTable({ packets, rowsMax }: PacketTableProps) {
  const total = Math.min(rowsMax, packets.length);
  return (
    <OpenPart
      name="packets"
      summary={`${total === packets.length ? `The ${counted(total, 'packet')} of the charts` : `The newest ${counted(total, 'packet')}`} as a table`}
    >
      {() => <Rows packets={packets.slice(-rowsMax).toReversed()} />}
    </OpenPart>
  );
}

function Rows({ packets }: Pick<PacketTableProps, 'packets'>) {
  return (
    <WideTable label="Packets">
      <thead>
        <tr>
          <th scope="col">{zoned('Window to')}</th>
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
        {packets.map((packet) => (
          <tr key={packet.event_id}>
            <th scope="row">
              <Link href={`/packet/${packet.event_id}`}>{clockBelow(Date.parse(packet.window_end_utc), 'time')}</Link>
            </th>
            <td>
              <StateMark state={packet.state} /> {packet.state_label}
            </td>
            <td>{stateLabel(packet.winner_state)}</td>
            <td className={styles['number']}>{packet.mid_price === null ? 'not reported' : price(packet.mid_price)}</td>
            <td className={styles['number']}>
              <Severity severity={packet.severity} />
            </td>
            <td className={styles['number']}>{packet.confidence.score.toFixed(2)}</td>
            <td>{words(packet.event_class)}</td>
            <td>{packet.gap_flags.map(words).join(', ')}</td>
          </tr>
        ))}
      </tbody>
    </WideTable>
  );
}
