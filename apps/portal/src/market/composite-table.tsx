import { type Composite, counted } from '@market-state/packet-figures';
import { useId } from 'react';
import { Link } from 'wouter';
import type { CompactPacket } from '../packets/board';
import { COMPOSITE_NAMES } from '../packets/words';
import { urlWord, useUrlState } from '../service/url-state';
import { clockBelow, zoned } from '../time/clock';
import styles from './market.module.css';
import { OpenPart } from './open-part';

interface CompositeTableProps {
  readonly packets: readonly CompactPacket[];
  /** The newest of so many are shown. */
  readonly rowsMax: number;
}

const URL_COMPOSITE = urlWord(
  COMPOSITE_NAMES.map(([name]) => name),
  'pressure',
);

/** The composite charts as a table, one score at a time, newest first. */
export function CompositeTable({ packets, rowsMax }: CompositeTableProps) {
  const [composite, setComposite] = useUrlState('score', URL_COMPOSITE);
  const id = useId();
  const total = Math.min(rowsMax, packets.length);
  return (
    <OpenPart
      name="scores"
      summary={`The composite scores of ${total === packets.length ? '' : 'the newest '}${counted(total, 'packet')} as a table`}
    >
      {() => (
        <>
          <label htmlFor={id}>Score </label>
          <select
            id={id}
            value={composite}
            onChange={({ target }) => setComposite(URL_COMPOSITE.read(target.value) ?? URL_COMPOSITE.usual)}
          >
            {COMPOSITE_NAMES.map(([name, title]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
          </select>
          <Rows packets={packets.slice(-rowsMax).toReversed()} composite={composite} />
        </>
      )}
    </OpenPart>
  );
}

function Rows({ packets, composite }: Pick<CompositeTableProps, 'packets'> & { readonly composite: Composite }) {
  return (
    <table>
      <caption className="visually-hidden">Score and thresholds by packet, newest first</caption>
      <thead>
        <tr>
          <th scope="col">{zoned('Window to')}</th>
          <th scope="col" className={styles['number']}>
            Score
          </th>
          <th scope="col" className={styles['number']}>
            Watch
          </th>
          <th scope="col" className={styles['number']}>
            Elevated
          </th>
        </tr>
      </thead>
      <tbody>
        {packets.map(({ event_id: eventId, window_end_utc: end, composites }) => {
          const { score, watch, elevated } = composites[composite];
          return (
            <tr key={eventId}>
              <th scope="row">
                <Link href={`/packet/${eventId}`}>{clockBelow(Date.parse(end), 'time')}</Link>
              </th>
              <td className={styles['number']}>{score === null ? 'not reported' : score.toFixed(2)}</td>
              <td className={styles['number']}>{watch.toFixed(2)}</td>
              <td className={styles['number']}>{elevated.toFixed(2)}</td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}
