import { Choice } from '../../controls/choice';
import { Table } from '../../controls/table';
import { counted, stateWord } from '@market-state/packet-figures';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { Empty } from '../../status-components/conditions';
import { clock } from '../../time/clock';
import { differencesOf, distanceWords, type AdjacentPacket, missingBetween } from './adjacent-packets';
import type { Packet, Workbench } from './packet-queries';
import styles from './packet.module.css';
import { stateLabel } from '../../packets/words';

interface LineageRailProps {
  readonly workbench: Workbench;
  readonly adjacentPackets: readonly AdjacentPacket[];
  readonly compared: string;
  readonly onCompare: (eventId: string) => void;
}

/** Up to thirty packets on each side: fill is the state, bar height the severity. */
export function LineageRail({ workbench: { packet, lineage }, adjacentPackets, compared, onCompare }: LineageRailProps) {
  const ownMs = Date.parse(packet.scope.window_end_utc);
  const places = [...adjacentPackets.filter(({ offset }) => offset < 0), null, ...adjacentPackets.filter(({ offset }) => offset > 0)];
  const timeOf = (place: AdjacentPacket | null): string => place?.row.window_end_utc ?? packet.scope.window_end_utc;
  const rail = places.map((adjacentPacket, index) => {
    const earlier = places[index - 1];
    return { adjacentPacket, missing: earlier === undefined ? 0 : missingBetween(timeOf(earlier), timeOf(adjacentPacket)) };
  });
  const missing = [lineage.before, lineage.after].filter(({ complete }) => !complete).map(({ sentence }) => sentence);
  return (
    <section className={styles['lineage']} aria-label="Lineage">
      <div className={styles['rail']}>
        {rail.map(({ adjacentPacket, missing: windows }) => (
          <Fragment key={adjacentPacket?.row.event_id ?? packet.event_id}>
            {windows === 0 ? null : <Absent windows={windows} />}
            {adjacentPacket === null ? (
              <span className={`${styles['cell'] ?? ''} ${styles['own'] ?? ''}`} title="This packet" ref={scrollToMiddle}>
                <i className={`state-${stateWord(packet.state)}`} />
                <b style={{ height: `${100 * packet.event_severity.score}%` }} />
              </span>
            ) : (
              <RailPacket adjacentPacket={adjacentPacket} ownMs={ownMs} isCompared={adjacentPacket.row.event_id === compared} />
            )}
          </Fragment>
        ))}
      </div>
      <div className={styles['railnote']}>
        <span>Fill: published state. Bar: severity, 0–1. {missing.join(' ')}</span>
        <Choice
          label="Compare with"
          value={adjacentPackets.some(({ row }) => row.event_id === compared) ? compared : ''}
          options={['', ...adjacentPackets.map(({ row }) => row.event_id)]}
          say={(id) =>
            comparedWords(
              adjacentPackets.find(({ row }) => row.event_id === id),
              ownMs,
            )
          }
          onChoose={onCompare}
        />
      </div>
    </section>
  );
}

function comparedWords(other: AdjacentPacket | undefined, ownMs: number): string {
  if (other === undefined) return 'no other packet';
  return `${distanceWords(ownMs, Date.parse(other.row.window_end_utc))}: ${stateLabel(other.row.state)}`;
}

function RailPacket({
  adjacentPacket: { row },
  ownMs,
  isCompared,
}: {
  readonly adjacentPacket: AdjacentPacket;
  readonly ownMs: number;
  readonly isCompared: boolean;
}) {
  const endMs = Date.parse(row.window_end_utc);
  const label = `${distanceWords(ownMs, endMs)}, ${clock(endMs, 'time')}: ${stateLabel(row.state)}, severity ${row.severity_score.toFixed(2)}`;
  return (
    <Link href={`/packet/${row.event_id}`} className={styles['cell'] ?? ''} aria-label={label} title={label} data-compared={isCompared}>
      <i className={`state-${stateWord(row.state)}`} />
      <b style={{ height: `${100 * row.severity_score}%` }} />
    </Link>
  );
}

function scrollToMiddle(own: HTMLElement | null): void {
  const rail = own?.parentElement;
  if (own !== null && rail !== null && rail !== undefined) rail.scrollLeft = own.offsetLeft - rail.offsetLeft - rail.clientWidth / 2;
}

const CELL_PX = 24;

/** Same width as the missing windows. */
function Absent({ windows }: { readonly windows: number }) {
  const label = `${counted(windows, 'window')} without a packet`;
  return (
    <span
      className={`${styles['absent'] ?? ''} gap`}
      style={{ flex: `${windows} 0 ${windows * CELL_PX}px` }}
      role="img"
      aria-label={label}
      title={label}
    />
  );
}

interface ComparedProps {
  readonly workbench: Workbench;
  readonly adjacentPackets: readonly AdjacentPacket[];
  readonly eventId: string;
  readonly onClose: () => void;
}

export function Compared({ workbench: { packet }, adjacentPackets, eventId, onClose }: ComparedProps) {
  if (eventId === '') return null;
  const other = adjacentPackets.find(({ row }) => row.event_id === eventId)?.row;
  if (other === undefined) return <Empty why="The compared packet is not among the thirty on either side." />;
  const differences = differencesOf(other, rowOf(packet));
  const endMs = Date.parse(other.window_end_utc);
  const same = differences.filter(({ isSame }) => isSame).map(({ field }) => field);
  return (
    <section className={styles['compared']}>
      <h2>
        Compared with the packet of <Link href={`/packet/${other.event_id}`}>{clock(endMs, 'time')}</Link> (
        {distanceWords(Date.parse(packet.scope.window_end_utc), endMs)}){' '}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </h2>
      <Table
        rows={differences.filter(({ isSame }) => !isSame)}
        keyOf={({ field }) => field}
        columns={[
          { head: 'Field', cell: ({ field }) => field },
          { head: 'Other', cell: ({ other: there }) => there },
          { head: 'This', cell: ({ own }) => own },
          { head: 'Change', cell: ({ change }) => change, className: styles['number'] },
        ]}
      />
      {same.length === 0 ? null : <p className={styles['soft']}>Unchanged: {same.join(', ')}.</p>}
    </section>
  );
}

function rowOf(packet: Packet): Parameters<typeof differencesOf>[1] {
  const { composites } = packet.state_decision_trace;
  return {
    state: packet.state,
    winner_state: packet.state_decision_trace.winner_state,
    event_class: packet.event_class,
    market_read_direction: packet.market_read_direction,
    severity_score: packet.event_severity.score,
    severity_class: packet.event_severity.severity_class,
    confidence_score: typeof packet.confidence === 'string' ? null : (packet.confidence.score ?? null),
    novelty_score: packet.novelty_score,
    contradiction_score: packet.contradiction_score,
    quality_score: packet.packet_quality.quality_score,
    gap_flags: packet.packet_quality.gap_flags,
    mid_price: packet.reference_prices?.mid_price ?? null,
    scores: {
      pressure: composites?.pressure?.score ?? null,
      flow: composites?.flow?.score ?? null,
      fragility: composites?.fragility?.score ?? null,
      crowding: composites?.crowding?.score ?? null,
      forced_flow: composites?.forced_flow?.score ?? null,
      regime: composites?.regime?.score ?? null,
    },
  };
}
