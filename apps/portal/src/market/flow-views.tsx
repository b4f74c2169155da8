import { duration } from '@market-state/packet-figures';
import type { CSSProperties } from 'react';
import { clockBelow, zoned } from '../time/clock';
import { aligned, decimalsOf, sizeDecimals, sizeText } from './numbers';
import { type FlowState, tapeBalance, LADDER_ROWS, ladderSide, type LadderRow, spreadBps } from './flow-state';
import styles from './flow.module.css';

interface LadderViewProps {
  readonly flow: Pick<FlowState, 'bids' | 'asks'>;
  readonly unit: string;
}

export function LadderView({ flow: { bids, asks }, unit }: LadderViewProps) {
  const [bidRows, askRows] = [ladderSide(bids, LADDER_ROWS), ladderSide(asks, LADDER_ROWS)];
  const deepest = Math.max(bidRows.at(-1)?.cumulative ?? 0, askRows.at(-1)?.cumulative ?? 0);
  const spread = spreadBps(bids, asks);
  const decimals = {
    price: decimalsOf([...bids, ...asks].map(([price]) => price)),
    size: sizeDecimals([...[...bids, ...asks].map(([, size]) => size), String(deepest)]),
  };
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
          <Side rows={[...askRows].reverse()} side="ask" deepest={deepest} decimals={decimals} />
          <Side rows={bidRows} side="bid" deepest={deepest} decimals={decimals} />
        </tbody>
      </table>
    </section>
  );
}

interface SideProps {
  readonly rows: readonly LadderRow[];
  readonly side: 'bid' | 'ask';
  readonly deepest: number;
  readonly decimals: { readonly price: number; readonly size: number };
}

function Side({ rows, side, deepest, decimals }: SideProps) {
  return rows.map(({ price, size, cumulative }) => (
    <tr key={price} data-side={side}>
      <td className={styles['side']}>{side}</td>
      <td className={styles['number']}>{aligned(price, decimals.price)}</td>
      <td className={styles['number']}>{sizeText(Number(size), decimals.size)}</td>
      <td className={styles['depth']} style={{ '--share': `${(100 * cumulative) / deepest}%` } as CSSProperties}>
        {sizeText(cumulative, decimals.size)}
      </td>
    </tr>
  ));
}

const ROWS = 22;

interface TapeViewProps {
  readonly flow: Pick<FlowState, 'trades'>;
  readonly unit: string;
  readonly empty: string;
}

export function TapeView({ flow: { trades }, unit, empty }: TapeViewProps) {
  const { buys, sells, spanMs } = tapeBalance(trades);
  const decimals = decimalsOf(trades.map(({ price }) => price));
  const lot = sizeDecimals(trades.map(({ size }) => size));
  const total = buys + sells;
  return (
    <section aria-label="Trades">
      <h2>
        Trades{' '}
        <span className={styles['soft']}>
          by aggressor; bar: last {duration(spanMs)}, {unit}
        </span>
      </h2>
      {total === 0 ? (
        <p className={styles['soft']}>{empty}</p>
      ) : (
        <p className={styles['balance']}>
          <span data-side="bid">buy {sizeText(buys, lot)}</span>
          <svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">
            <rect x="0" y="0" width={(100 * buys) / total} height="8" data-side="bid" />
            <rect x={(100 * buys) / total} y="0" width={(100 * sells) / total} height="8" data-side="ask" />
          </svg>
          <span data-side="ask">sell {sizeText(sells, lot)}</span>
        </p>
      )}
      <table className={styles['tape']}>
        <thead>
          <tr>
            <th scope="col">{zoned('Time')}</th>
            <th scope="col">Side</th>
            <th scope="col" className={styles['number']}>
              Price, USD
            </th>
            <th scope="col" className={styles['number']}>
              Size, {unit}
            </th>
          </tr>
        </thead>
        <tbody>
          {trades.slice(0, ROWS).map(({ id, timeMs, side, price, size }, index) => (
            <tr key={`${id} ${index}`} data-side={side === 'buy' ? 'bid' : 'ask'}>
              <td>{clockBelow(timeMs, 'time')}</td>
              <td className={styles['side']}>{side}</td>
              <td className={styles['number']}>{aligned(price, decimals)}</td>
              <td className={styles['number']}>{sizeText(Number(size), lot)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
