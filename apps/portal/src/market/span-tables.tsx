import type { Schemas } from '@market-state/client';
import { counted, words, duration } from '@market-state/packet-figures';
import { priceText } from './numbers';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { StateMark } from '../charts/state-mark';
import type { CompactPacket } from '../packets/live-markets';
import { Severity, stateLabel } from '../packets/words';
import { WideTable } from '../charts/wide-table';
import { clockBelow, zoned } from '../time/clock';
import styles from './market.module.css';
import { useUrlOpen } from '../service/url-state';

interface OpenPartProps {
  readonly name: string;
  readonly summary: ReactNode;
  readonly children: () => ReactNode;
}

export function OpenPart({ name, summary, children }: OpenPartProps) {
  const [isOpen, setIsOpen] = useUrlOpen(name);
  const toggled = (next: boolean): void => {
    if (next !== isOpen) setIsOpen(next);
  };
  return (
    <details className={styles['packets']} open={isOpen} onToggle={({ currentTarget }) => toggled(currentTarget.open)}>
      <summary>{summary}</summary>
      {isOpen ? children() : null}
    </details>
  );
}

export function GapList({ gaps }: { readonly gaps: readonly Schemas['Gap'][] }) {
  const summary =
    gaps.length === 0 ? 'No gap ledger entries here' : `Gap ledger: ${gaps.length} ${gaps.length === 1 ? 'entry' : 'entries'}`;
  return (
    <OpenPart name="ledger" summary={summary}>
      {() =>
        gaps.length === 0 ? null : (
          <WideTable label="Gap ledger">
            <thead>
              <tr>
                <th scope="col">Channel</th>
                <th scope="col">Kind</th>
                <th scope="col">{zoned('From')}</th>
                <th scope="col" className={styles['number']}>
                  Duration
                </th>
                <th scope="col">Reason</th>
                <th scope="col">Resolution</th>
                <th scope="col">Gap id</th>
              </tr>
            </thead>
            <tbody>
              {gaps.map((gap) => (
                <tr key={gap.gap_id}>
                  <th scope="row">{words(gap.channel ?? 'all')}</th>
                  <td>{words(gap.kind)}</td>
                  <td>{clockBelow(Date.parse(gap.start_utc), 'time')}</td>
                  <td className={styles['number']}>
                    {gap.end_utc === null ? 'open' : duration(Date.parse(gap.end_utc) - Date.parse(gap.start_utc))}
                  </td>
                  <td>{words(gap.reason)}</td>
                  <td>{words(gap.resolution)}</td>
                  <td>
                    <code>{gap.gap_id}</code>
                  </td>
                </tr>
              ))}
            </tbody>
          </WideTable>
        )
      }
    </OpenPart>
  );
}

function packetsShown(shown: number, all: number): string {
  if (all === 1) return 'The packet in the charts';
  return shown === all ? `All ${counted(all, 'packet')} in the charts` : `The newest ${counted(shown, 'packet')}`;
}

interface PacketTableProps {
  readonly packets: readonly CompactPacket[];
  readonly rowsMax: number;
}

export function PacketTable({ packets, rowsMax }: PacketTableProps) {
  const total = Math.min(rowsMax, packets.length);
  return (
    <OpenPart name="packets" summary={`${packetsShown(total, packets.length)} as a table`}>
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
            <td className={styles['number']}>{packet.mid_price === null ? 'not reported' : priceText(packet.mid_price)}</td>
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
