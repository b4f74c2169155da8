import { words } from '@market-state/packet-figures';
import { Empty } from '../../conditions/empty';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { dollars } from '../../service/dollars';
import { clockBelow, zoned } from '../../time/clock';
import styles from './billing.module.css';
import { useInvoices } from './use-billing';

/** What was bought. `order` is the one that a checkout led back from. */
export function Invoices({ order }: { readonly order: string }) {
  const { data, error, refetch } = useInvoices();
  return (
    <section aria-label="Invoices" className={styles['panel']}>
      <h2>Invoices</h2>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {data === undefined && error === null ? <Outline rows={3} label="Loading the invoices" /> : null}
      {data?.rows.length === 0 ? (
        <Empty why="Nothing has been bought yet.">An order is listed here once it is paid or approved.</Empty>
      ) : null}
      {data === undefined || data.rows.length === 0 ? null : (
        <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Rows of invoices">
          <table className={styles['table']}>
            <thead>
              <tr>
                <th scope="col">{zoned('Written')}</th>
                <th scope="col">Bought</th>
                <th scope="col" className={styles['number']}>
                  Price
                </th>
                <th scope="col">State</th>
                <th scope="col">Order</th>
                <th scope="col">Document</th>
              </tr>
            </thead>
            <tbody>
              {data.rows.map((row) => (
                <tr key={row.invoice_id} data-own={row.order_id === order}>
                  <th scope="row">{clockBelow(Date.parse(row.created_utc), 'minute')}</th>
                  <td>
                    {words(row.plan_id)}
                    {row.billing_interval === null ? '' : `, a ${row.billing_interval}`}
                  </td>
                  <td className={styles['number']}>{dollars(row.amount_cents)}</td>
                  <td>{row.status}</td>
                  <td>
                    <code>{row.order_id}</code>
                  </td>
                  <td>{row.document_url === null ? 'none' : <a href={row.document_url}>open</a>}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </div>
      )}
      {(data?.next_cursor ?? null) === null ? null : <p className={styles['soft']}>Older invoices are not shown.</p>}
    </section>
  );
}
