import { Table } from '../controls/table';
import type { Schemas } from '@market-state/client';
import { counted, words, duration } from '@market-state/packet-figures';
import { priceText } from './numbers';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { StateMark } from '../charts/state-mark';
import type { CompactPacket } from '../packets/live-markets';
import { Severity, stateLabel } from '../packets/words';
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
          <Table
            scroll="Gap ledger"
            rows={gaps}
            keyOf={(gap) => gap.gap_id}
            columns={[
              { head: 'Channel', cell: (gap) => words(gap.channel ?? 'all') },
              { head: 'Kind', cell: (gap) => words(gap.kind) },
              { head: zoned('From'), cell: (gap) => clockBelow(gap.start_utc, 'time') },
              {
                head: 'Duration',
                cell: (gap) => (gap.end_utc === null ? 'open' : duration(Date.parse(gap.end_utc) - Date.parse(gap.start_utc))),
                className: styles['number'],
              },
              { head: 'Reason', cell: (gap) => words(gap.reason) },
              { head: 'Resolution', cell: (gap) => words(gap.resolution) },
              { head: 'Gap id', cell: (gap) => <code>{gap.gap_id}</code> },
            ]}
          />
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
    <Table
      scroll="Packets"
      rows={packets}
      keyOf={(packet) => packet.event_id}
      columns={[
        {
          head: zoned('Window to'),
          cell: (packet) => <Link href={`/packet/${packet.event_id}`}>{clockBelow(packet.window_end_utc, 'time')}</Link>,
        },
        {
          head: 'Published state',
          cell: (packet) => (
            <>
              <StateMark state={packet.state} /> {packet.state_label}
            </>
          ),
        },
        { head: 'Raw winner', cell: (packet) => stateLabel(packet.winner_state) },
        {
          head: 'Mid, USD',
          cell: (packet) => (packet.mid_price === null ? 'not reported' : priceText(packet.mid_price)),
          className: styles['number'],
        },
        { head: 'Severity', cell: (packet) => <Severity severity={packet.severity} />, className: styles['number'] },
        { head: 'Confidence', cell: (packet) => packet.confidence.score.toFixed(2), className: styles['number'] },
        { head: 'Event class', cell: (packet) => words(packet.event_class) },
        { head: 'Flags', cell: (packet) => packet.gap_flags.map(words).join(', ') },
      ]}
    />
  );
}
