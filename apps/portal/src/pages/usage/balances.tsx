import { words } from '@market-state/packet-figures';
import { clockBelow, zoned } from '../../time/clock';
import styles from './usage.module.css';
import type { Usage } from './use-usage';

export const NAMES: Readonly<Record<string, string>> = { market_state: 'Market-state credits', export: 'Export credits' };
export const whole = (credits: number): string => credits.toLocaleString('en-US');

/** What is left of both kinds of credit, and out of which grants. */
export function Balances({ usage: { balances, grants } }: { readonly usage: Usage }) {
  return (
    <section aria-label="Balances" className={styles['panel']}>
      <h2>Balances</h2>
      <div className={styles['balances']}>
        {balances.map((balance) => (
          <dl key={balance.credit_kind}>
            <div className={styles['left']}>
              <dt>{NAMES[balance.credit_kind] ?? words(balance.credit_kind)} left</dt>
              <dd>{whole(balance.available + balance.held + balance.leased_to_gateways)}</dd>
            </div>
            <div>
              <dt>set aside for exports under way</dt>
              <dd>{whole(balance.held)}</dd>
            </div>
            <div>
              <dt>taken ahead for calls to come</dt>
              <dd>{whole(balance.leased_to_gateways)}</dd>
            </div>
            <div>
              <dt>spent today, UTC</dt>
              <dd>{whole(balance.spent_today)}</dd>
            </div>
            <div>
              <dt>spent this month</dt>
              <dd>{whole(balance.spent_this_month)}</dd>
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
