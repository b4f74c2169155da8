import { COMPOSITE_NAMES } from '../../packets/words';
import type { BoardRow } from '../../packets/board';
import { LiveRow } from './live-row';
import styles from './live.module.css';

interface LiveTableProps {
  readonly rows: readonly BoardRow[];
  readonly pinned: readonly string[];
  readonly onPin: (symbol: string) => void;
}

/** A row a symbol; at phone width each row becomes a card. */
export function LiveTable({ rows, pinned, onPin }: LiveTableProps) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">The newest packet of each symbol, with the states of its last hour</caption>
      <thead>
        <tr>
          <th scope="col">Symbol</th>
          <th scope="col" className={styles['number']}>
            Mid, USD
          </th>
          <th scope="col">Published state, age</th>
          <th scope="col">Margin of the raw winner</th>
          {COMPOSITE_NAMES.map(([name, title]) => (
            <th key={name} scope="col">
              {title}
            </th>
          ))}
          <th scope="col">Severity, 0–1</th>
          <th scope="col" className={styles['number']}>
            Confi&shy;dence, 0–1
          </th>
          <th scope="col">Quality, flags</th>
          <th scope="col">Last hour</th>
          <th scope="col">Data</th>
        </tr>
      </thead>
      <tbody>
        {rows.map((row) => (
          <LiveRow key={row.symbol} row={row} isPinned={pinned.includes(row.symbol)} onPin={onPin} />
        ))}
      </tbody>
    </table>
  );
}
