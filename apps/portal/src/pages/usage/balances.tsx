import { words } from '@market-state/packet-figures';
import { useCredits } from '../../service/credits';
import { clockBelow, zoned } from '../../time/clock';
import styles from './usage.module.css';
import type { Usage } from './use-usage';

export const NAMES: Readonly<Record<string, string>> = { market_state: 'Market-state credits', export: 'Export credits' };
export const whole = (credits: number): string => credits.toLocaleString('en-US');

/** Credits left of both kinds, the reserved ones, and the grants they come from. */
export function Balances({ usage: { grants } }: { readonly usage: Usage }) {
  const credits = useCredits() ?? [];
  return (
    <section aria-label="Balances" className={styles['panel']}>
      <h2>Balances</h2>
      <div className={styles['balances']}>
        {credits.map(({ kind, left, reservedForExports, reservedForCalls, spentToday, spentThisMonth }) => (
          <dl key={kind}>
            <div className={styles['left']}>
              <dt>{NAMES[kind]} left</dt>
              <dd>{whole(left)}</dd>
            </div>
            <div>
              <dt>reserved for exports in progress</dt>
              <dd>{whole(reservedForExports)}</dd>
            </div>
            <div>
              <dt>reserved for calls in progress</dt>
              <dd>{whole(reservedForCalls)}</dd>
            </div>
            <div>
              <dt>spent today, UTC</dt>
              <dd>{whole(spentToday)}</dd>
            </div>
            <div>
              <dt>spent this month</dt>
              <dd>{whole(spentThisMonth)}</dd>
            </div>
          </dl>
        ))}
      </div>
      <details>
        <summary>Where they come from, in the order in which they are used</summary>
        <div className={styles['scroll']}>
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">From</th>
                <th scope="col">Kind</th>
                <th scope="col" className={styles['number']}>
                  Left
                </th>
                <th scope="col" className={styles['number']}>
                  Given
                </th>
                <th scope="col">{zoned('Expires')}</th>
              </tr>
            </thead>
            <tbody>
              {grants.map((grant) => (
                <tr key={grant.grant_id}>
                  <th scope="row">{words(grant.source)}</th>
                  <td>{words(grant.credit_kind)}</td>
                  <td className={styles['number']}>{whole(grant.left)}</td>
                  <td className={styles['number']}>{whole(grant.amount)}</td>
                  <td>{grant.expires_at_utc === null ? 'never' : clockBelow(Date.parse(grant.expires_at_utc), 'minute')}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      </details>
    </section>
  );
}
