import { Table } from '../controls/table';
import { duration } from '@market-state/packet-figures';
import type { CSSProperties } from 'react';
import { clockBelow, zoned } from '../time/clock';
import { aligned, decimalsOf, sizeDecimals, sizeText } from './numbers';
import { type FlowState, tapeBalance, LADDER_ROWS, ladderSide, spreadBps } from './flow-state';
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
      <Table
        className={styles['ladder']}
        hasRowHeads={false}
        rows={[...askRows.map((row) => ({ ...row, side: 'ask' })).reverse(), ...bidRows.map((row) => ({ ...row, side: 'bid' }))]}
        keyOf={({ side, price }) => `${side} ${price}`}
        rowProps={({ side }) => ({ 'data-side': side })}
        columns={[
          { head: 'Side', cell: ({ side }) => side, cellClass: styles['side'] },
          { head: 'Price, USD', cell: ({ price }) => aligned(price, decimals.price), className: styles['number'] },
          { head: `Size, ${unit}`, cell: ({ size }) => sizeText(Number(size), decimals.size), className: styles['number'] },
          {
            head: 'Cumulative',
            cell: ({ cumulative }) => sizeText(cumulative, decimals.size),
            className: styles['number'],
            cellClass: styles['depth'],
            cellProps: ({ cumulative }) => ({ style: { '--share': `${(100 * cumulative) / deepest}%` } as CSSProperties }),
          },
        ]}
      />
    </section>
  );
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
      <Table
        className={styles['tape']}
        hasRowHeads={false}
        rows={trades.slice(0, ROWS)}
        keyOf={({ id }, index) => `${id} ${index}`}
        rowProps={({ side }) => ({ 'data-side': side === 'buy' ? 'bid' : 'ask' })}
        columns={[
          { head: zoned('Time'), cell: ({ timeMs }) => clockBelow(timeMs, 'time') },
          { head: 'Side', cell: ({ side }) => side, cellClass: styles['side'] },
          { head: 'Price, USD', cell: ({ price }) => aligned(price, decimals), className: styles['number'] },
          { head: <>Size, {unit}</>, cell: ({ size }) => sizeText(Number(size), lot), className: styles['number'] },
        ]}
      />
    </section>
  );
}
