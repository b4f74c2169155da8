import { ProblemNotice } from '../../conditions/problem-notice';
import { dollars } from '../../service/dollars';
import { whole } from './balances';
import styles from './usage.module.css';
import { useTiers, type Workload } from './use-usage';

/** The use of the window on every tier, spread evenly over a month. */
export function Tiers({ workload, planId }: { readonly workload: Workload; readonly planId: string | undefined }) {
  const { data, error, refetch } = useTiers(workload);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return (
    <>
      <p className={styles['soft']}>
        {data === undefined
          ? 'Counting…'
          : `A month like this, at the usual price of each family: ${whole(data.market_state_credits_a_month)} market-state and ${whole(data.export_credits_a_month)} export credits.`}
      </p>
      <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Tiers">
        <table className={styles['table']}>
          <thead>
            <tr>
              <th scope="col">Tier</th>
              <th scope="col" className={styles['number']}>
                A month, USD
              </th>
              <th scope="col" className={styles['number']}>
                Credits given
              </th>
              <th scope="col" className={styles['number']}>
                Left over
              </th>
              <th scope="col" className={styles['number']}>
                Top-ups
              </th>
              <th scope="col">It fits</th>
            </tr>
          </thead>
          <tbody>
            {data?.tiers.map((tier) => (
              <tr key={tier.plan_id} data-sum={tier.plan_id === planId}>
                <th scope="row">
                  {tier.tier}
                  {tier.plan_id === planId ? ', yours' : ''}
                </th>
                <td className={styles['number']}>
                  {tier.price_cents_month_with_topups === null ? 'by contract' : dollars(tier.price_cents_month_with_topups)}
                </td>
                <td className={styles['number']}>{tier.included === null ? 'by contract' : whole(tier.included.market_state)}</td>
                <td className={styles['number']}>{tier.headroom === null ? 'by contract' : whole(tier.headroom.market_state)}</td>
                <td className={styles['number']}>{tier.topups_needed === null ? 'by contract' : tier.topups_needed}</td>
                <td>
                  {fitWords(tier)}
                  {tier.plan_id === data.cheapest_plan_id ? ', the cheapest' : ''}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function fitWords({
  fits,
  fits_rate: isFast,
  rate_per_second: rate,
}: {
  fits: boolean;
  fits_rate: boolean;
  rate_per_second: number;
}): string {
  if (fits) return `yes, ${rate} calls/s`;
  return isFast ? 'with top-ups' : `no: ${rate} calls/s`;
}
