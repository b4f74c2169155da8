import { counted, stateWord } from '@market-state/packet-figures';
import { Fragment } from 'react';
import { Link } from 'wouter';
import { stateLabel } from '../../packets/words';
import { clock } from '../../time/clock';
import { distanceWords, missingBetween, type Neighbour } from './neighbours';
import type { Workbench } from './packet-queries';
import styles from './packet.module.css';

interface LineageRailProps {
  readonly workbench: Workbench;
  readonly neighbours: readonly Neighbour[];
  /** Event id of the packet that is compared; empty for none. */
  readonly compared: string;
  readonly onCompare: (eventId: string) => void;
}

/** The packets around this one, thirty on each side where so many are kept: state as fill, severity as the height of a bar. */
export function LineageRail({ workbench: { packet, lineage }, neighbours, compared, onCompare }: LineageRailProps) {
  const ownMs = Date.parse(packet.scope.window_end_utc);
  const places = [...neighbours.filter(({ offset }) => offset < 0), null, ...neighbours.filter(({ offset }) => offset > 0)];
  const timeOf = (place: Neighbour | null): string => place?.row.window_end_utc ?? packet.scope.window_end_utc;
  const rail = places.map((neighbour, index) => {
    const earlier = places[index - 1];
    return { neighbour, missing: earlier === undefined ? 0 : missingBetween(timeOf(earlier), timeOf(neighbour)) };
  });
  const missing = [lineage.before, lineage.after].filter(({ complete }) => !complete).map(({ sentence }) => sentence);
  return (
    <section className={styles['lineage']} aria-label="Lineage">
      <div className={styles['rail']}>
        {rail.map(({ neighbour, missing: windows }) => (
          <Fragment key={neighbour?.row.event_id ?? packet.event_id}>
            {windows === 0 ? null : <Absent windows={windows} />}
            {neighbour === null ? (
              <span className={`${styles['cell'] ?? ''} ${styles['own'] ?? ''}`} title="This packet" ref={scrollToMiddle}>
                <i className={`state-${stateWord(packet.state)}`} />
                <b style={{ height: `${100 * packet.event_severity.score}%` }} />
              </span>
            ) : (
              <RailPacket neighbour={neighbour} ownMs={ownMs} isCompared={neighbour.row.event_id === compared} />
            )}
          </Fragment>
        ))}
      </div>
      <div className={styles['railnote']}>
        <span>Fill: published state. Bar: severity, 0–1. {missing.join(' ')}</span>
        <label>
          Compare with{' '}
          <select value={compared} onChange={({ target }) => onCompare(target.value)}>
            <option value="">no other packet</option>
            {neighbours.map(({ row }) => (
              <option key={row.event_id} value={row.event_id}>
                {distanceWords(ownMs, Date.parse(row.window_end_utc))}: {stateLabel(row.state)}
              </option>
            ))}
          </select>
        </label>
      </div>
    </section>
  );
}

function RailPacket({
  neighbour: { row },
  ownMs,
  isCompared,
}: {
  readonly neighbour: Neighbour;
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

/** Brings the packet of the page to the middle of a rail that is wider than the screen. */
function scrollToMiddle(own: HTMLElement | null): void {
  const rail = own?.parentElement;
  if (own !== null && rail !== null && rail !== undefined) rail.scrollLeft = own.offsetLeft - rail.offsetLeft - rail.clientWidth / 2;
}

/** Least width of a packet of the rail, pixels. */
const CELL_PX = 24;

/** As wide as the windows that have no packet would be. */
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
