import { price, words } from '@market-state/packet-figures';
import { Link } from 'wouter';
import { StateMark } from '../../figures/state-mark';
import { Severity } from '../../packets/severity';
import { clock, clockBelow, zoned } from '../../time/clock';
import { foundIn, type Hit } from './hits';
import styles from './search.module.css';

/** Hits, newest first; each leads to its packet, and to the replay around it. */
export function HitTable({ hits }: { readonly hits: readonly Hit[] }) {
  return (
    <table className={styles['table']}>
      <caption className="visually-hidden">Hits, newest first</caption>
      <thead>
        <tr>
          <th scope="col">{zoned('Window to')}</th>
          <th scope="col">Symbol</th>
          <th scope="col">Published state</th>
          <th scope="col">Event class</th>
          <th scope="col" className={styles['number']}>
            Mid, USD
          </th>
          <th scope="col">Severity</th>
          <th scope="col">Found in</th>
          <th scope="col">
            <span className="visually-hidden">Replay</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {hits.map((hit) => (
          <tr key={hit.event_id}>
            <th scope="row">
              <Link href={`/packet/${hit.event_id}`}>{clockBelow(Date.parse(hit.window_end_utc))}</Link>
            </th>
            <td data-column="Symbol">{hit.symbol}</td>
            <td data-column="Published state">
              <StateMark state={hit.state} /> {hit.state_label}
            </td>
            <td data-column="Event class">{words(hit.event_class)}</td>
            <td data-column="Mid, USD" className={styles['number']}>
              {hit.mid_price === null ? 'not reported' : price(hit.mid_price)}
            </td>
            <td data-column="Severity">
              <Severity severity={hit.severity} />
            </td>
            <td data-column="Found in" className={styles['found']}>
              <Found hit={hit} />
            </td>
            <td>
              <Link
                href={`/replay?symbol=${hit.symbol}&at=${hit.window_end_utc}`}
                aria-label={`Replay around ${clock(Date.parse(hit.window_end_utc))}`}
              >
                Replay
              </Link>
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** The first place, and the others on demand; where no words were searched, the packet's own first reason. */
function Found({ hit }: { readonly hit: Hit }) {
  const [first, ...others] = foundIn(hit);
  if (first === undefined) return hit.one_reason;
  if (others.length === 0) return first;
  return (
    <details>
      <summary>
        {first} <span className={styles['soft']}>and {others.length} more</span>
      </summary>
      {others.map((each) => (
        <p key={each}>{each}</p>
      ))}
    </details>
  );
}
