import { duration, price } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { StateMark } from '../../figures/state-mark';
import { PacketLines } from '../../market/packet-lines';
import { type CompactPacket, PACKET_MS, stateAgeMs } from '../../packets/board';
import { clock } from '../../time/clock';
import { windowsClosedAt } from './cursor';
import styles from './replay.module.css';

/** The newest packet at the cursor, and how old it is where none has come since. */
export function PacketAtCursor({ packet, atMs }: { readonly packet: CompactPacket | undefined; readonly atMs: number }) {
  if (packet === undefined)
    return (
      <p className={styles['packet']}>
        <b>No packet yet</b> <span className={styles['soft']}>No window of this span has closed with a packet at this instant.</span>
      </p>
    );
  const endMs = Date.parse(packet.window_end_utc);
  const missing = Math.round((windowsClosedAt(atMs) - endMs) / PACKET_MS);
  return (
    <section aria-label="Packet at the cursor" className={styles['packet']} data-stale={missing > 0}>
      <p className={styles['title']}>
        <Link href={`/packet/${packet.event_id}`} className={styles['state'] ?? ''}>
          <StateMark state={packet.state} /> {packet.state_label}
        </Link>
        <span className={styles['mid']}>{packet.mid_price === null ? 'no book' : `${price(packet.mid_price)} USD`}</span>
        <span className={styles['soft']}>for {duration(stateAgeMs(packet))}</span>
        <span className={styles['soft']}>window to {clock(endMs, 'time')}</span>
        {missing > 0 ? <b className={styles['late']}>no packet since, for {duration(missing * PACKET_MS)}</b> : null}
      </p>
      <PacketLines packet={packet} />
    </section>
  );
}
