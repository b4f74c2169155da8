import { Link } from 'wouter';
import { Empty } from '../../conditions/empty';
import { clock } from '../../time/clock';
import { differencesOf } from './difference';
import { distanceWords, type Neighbour } from './neighbours';
import type { Packet, Workbench } from './packet-queries';
import styles from './packet.module.css';

interface ComparedProps {
  readonly workbench: Workbench;
  readonly neighbours: readonly Neighbour[];
  readonly eventId: string;
  readonly onClose: () => void;
}

/** What differs between this packet and a neighbour. */
export function Compared({ workbench: { packet }, neighbours, eventId, onClose }: ComparedProps) {
  if (eventId === '') return null;
  const other = neighbours.find(({ row }) => row.event_id === eventId)?.row;
  if (other === undefined) return <Empty why="The packet to compare with is none of the thirty on either side." />;
  const differences = differencesOf(other, rowOf(packet));
  const endMs = Date.parse(other.window_end_utc);
  const same = differences.filter(({ isSame }) => isSame).map(({ field }) => field);
  return (
    <section className={styles['compared']}>
      <h2>
        Against the packet of <Link href={`/packet/${other.event_id}`}>{clock(endMs, 'time')}</Link> (
        {distanceWords(Date.parse(packet.scope.window_end_utc), endMs)}){' '}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </h2>
      <table>
        <thead>
          <tr>
            <th scope="col">Field</th>
            <th scope="col">There</th>
            <th scope="col">Here</th>
            <th scope="col" className={styles['number']}>
              Change
            </th>
          </tr>
        </thead>
        <tbody>
          {differences
            .filter(({ isSame }) => !isSame)
            .map(({ field, other: there, own, change }) => (
              <tr key={field}>
                <th scope="row">{field}</th>
                <td>{there}</td>
                <td>{own}</td>
                <td className={styles['number']}>{change}</td>
              </tr>
            ))}
        </tbody>
      </table>
      {same.length === 0 ? null : <p className={styles['soft']}>The same in both: {same.join(', ')}.</p>}
    </section>
  );
}

/** This packet as its row of the lineage would be. */
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
