import { words } from '@market-state/packet-figures';
import { StateMark } from '../../charts/state-mark';
import type { Candle } from '../../market/candles';
import { windowEndAt } from '../../market/candles';
import { priceText } from '../../market/numbers';
import type { CompactPacket } from '../../packets/live-markets';
import { COMPOSITE_NAMES } from '../../packets/words';
import { clock } from '../../time/clock';
import styles from './symbol.module.css';

interface ReadoutProps {
  /** Instant under the cursor; null shows the newest values. */
  readonly atMs: number | null;
  readonly byEnd: ReadonlyMap<number, CompactPacket>;
  readonly newest: CompactPacket | undefined;
  readonly candles: readonly Candle[] | undefined;
}

/** Price, time, state and scores at the cursor, in the same places whatever is known there. */
export function Readout({ atMs, byEnd, newest, candles }: ReadoutProps) {
  const packet = atMs === null ? newest : byEnd.get(windowEndAt(atMs));
  const candle = atMs === null ? candles?.at(-1) : candles?.find(({ openMs, closeMs }) => openMs <= atMs && atMs < closeMs);
  const shownMs = packet !== undefined ? Date.parse(packet.window_end_utc) : (candle?.openMs ?? atMs);
  return (
    <div className={styles['readout']}>
      <p>
        <b>{shownMs === null ? '' : clock(Math.round(shownMs))}</b>
        {candle === undefined ? (
          <span>
            mid <b>{packet === undefined || packet.mid_price === null ? '–' : priceText(packet.mid_price)}</b>
          </span>
        ) : (
          (['open', 'high', 'low', 'close'] as const).map((name) => (
            <span key={name}>
              {name} <b>{priceText(candle[name])}</b>
            </span>
          ))
        )}
        {packet === undefined ? (
          <span>no packet loaded here</span>
        ) : (
          <span className={styles['reading']}>
            <StateMark state={packet.state} /> {packet.state_label}, {words(packet.event_class)}
          </span>
        )}
      </p>
      <p>
        {COMPOSITE_NAMES.map(([name, title]) => {
          const score = packet?.composites[name].score ?? null;
          return (
            <span key={name}>
              {title.toLowerCase()} <b>{score === null ? '–' : score.toFixed(2)}</b>
            </span>
          );
        })}
      </p>
    </div>
  );
}
