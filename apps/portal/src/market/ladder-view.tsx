import type { CSSProperties } from 'react';
import { LADDER_ROWS, ladderSide, type LadderRow, sizeWords, spreadBps } from './ladder';
import type { FlowState } from './flow-state';
import styles from './flow.module.css';

interface LadderViewProps {
  readonly flow: Pick<FlowState, 'bids' | 'asks'>;
  /** Base unit of sizes. */
  readonly unit: string;
}

/** The best ten levels of both sides, with cumulative depth as bars on one scale. */
export function LadderView({ flow: { bids, asks }, unit }: LadderViewProps) {
  const [bidRows, askRows] = [ladderSide(bids, LADDER_ROWS), ladderSide(asks, LADDER_ROWS)];
  const deepest = Math.max(bidRows.at(-1)?.cumulative ?? 0, askRows.at(-1)?.cumulative ?? 0);
  const spread = spreadBps(bids, asks);
  return (
    <section aria-label="Order book">
      <h2>
        Order book <span className={styles['soft']}>{spread === null ? 'no book yet' : `spread ${spread.toFixed(2)} bps`}</span>
      </h2>
      <table className={styles['ladder']}>
        <thead>
          <tr>
            <th scope="col">Side</th>
            <th scope="col" className={styles['number']}>
              Price, USD
            </th>
            <th scope="col" className={styles['number']}>
              Size, {unit}
            </th>
            <th scope="col" className={styles['number']}>
              Cumulative
            </th>
          </tr>
        </thead>
        <tbody>
          <Side rows={[...askRows].reverse()} side="ask" deepest={deepest} />
          <Side rows={bidRows} side="bid" deepest={deepest} />
        </tbody>
      </table>
    </section>
  );
}

function Side({ rows, side, deepest }: { readonly rows: readonly LadderRow[]; readonly side: 'bid' | 'ask'; readonly deepest: number }) {
  return rows.map(({ price, size, cumulative }) => (
    <tr key={price} data-side={side}>
      <td className={styles['side']}>{side}</td>
      <td className={styles['number']}>{price}</td>
      <td className={styles['number']}>{sizeWords(Number(size))}</td>
      <td className={styles['depth']} style={{ '--share': `${(100 * cumulative) / deepest}%` } as CSSProperties}>
        {sizeWords(cumulative)}
      </td>
    </tr>
  ));
}
