import type { Schemas } from '@market-state/client';
import { percent } from '@market-state/packet-figures';
import { type CSSProperties, useMemo } from 'react';
import { StateMark } from '../../figures/state-mark';
import { WideTable } from '../../figures/wide-table';
import { stateLabel } from '../../packets/words';
import { matrixOf } from './matrix';
import styles from './stability.module.css';

/** Rows: the state of a packet. Columns: the state of the one right after. The darker, the larger the share. */
export function TransitionMatrix({ states }: { readonly states: readonly Schemas['StateStability'][] }) {
  const { columns, rows } = useMemo(() => matrixOf(states), [states]);
  return (
    <div className={styles['matrix']}>
      <WideTable label="Transition matrix">
        <thead>
          <tr>
            <th scope="col">From, to</th>
            {columns.map((state) => (
              <th key={state} scope="col">
                <StateMark state={state} /> {stateLabel(state)}
              </th>
            ))}
            <th scope="col" className={styles['number']}>
              Packets
            </th>
          </tr>
        </thead>
        <tbody>
          {rows.map(({ from, total, cells }) => (
            <tr key={from}>
              <th scope="row">
                <StateMark state={from} /> {stateLabel(from)}
              </th>
              {cells.map((cell, index) => (
                <td
                  key={columns[index]}
                  data-stays={columns[index] === from}
                  style={{ '--share': cell === null ? '0%' : `${Math.round(45 * Math.sqrt(cell.share))}%` } as CSSProperties}
                  title={cell === null ? undefined : `${cell.total} of ${total}`}
                >
                  {cell === null ? <span className={styles['never']}>never</span> : percent(cell.share)}
                </td>
              ))}
              <td className={styles['number']}>{total}</td>
            </tr>
          ))}
        </tbody>
      </WideTable>
    </div>
  );
}
