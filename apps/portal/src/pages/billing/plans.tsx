import type { Params } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { type BillingInterval, plans, topup } from '@market-state/pricing';
import { ProblemNotice } from '../../conditions/problem-notice';
import { dollars } from '../../service/dollars';
import { urlWord, useUrlState } from '../../service/url-state';
import styles from './billing.module.css';
import { useCheckout } from './use-billing';

const INTERVAL = urlWord(['month', 'year'], 'month');

type Bought = Params<'createCheckoutSession'>['plan_id'];

/** Every tier with its price, and the top-up: what each gives, and its order. */
export function Plans({ planId }: { readonly planId: string | undefined }) {
  const [interval, setInterval] = useUrlState('interval', INTERVAL);
  const { mutate, data, isPending, error } = useCheckout();
  const buy = (bought: Bought, every: BillingInterval): void => mutate({ plan_id: bought, billing_interval: every });
  return (
    <section aria-label="Plans" className={styles['panel']}>
      <div className={styles['head']}>
        <h2>Plans and top-up</h2>
        <label>
          Paid every{' '}
          <select value={interval} onChange={({ target }) => setInterval(target.value as BillingInterval)}>
            <option value="month">month</option>
            <option value="year">year</option>
          </select>
        </label>
      </div>
      <ul className={styles['plans']}>
        {plans
          .filter(({ tier }) => tier !== null)
          .map(({ planId: id, tier, priceCents, credits, rate, limits }) => (
            <li key={id} data-own={id === planId}>
              <h3>
                {tier}
                {id === planId ? ', yours' : ''}
              </h3>
              <p className={styles['price']}>
                {priceCents === null ? (
                  'by contract'
                ) : (
                  <>
                    {dollars(priceCents[interval])} <span className={styles['soft']}>a {interval}</span>
                  </>
                )}
              </p>
              {credits === null ? null : (
                <p>
                  {counted(credits.market_state, 'credit')} and {counted(credits.export, 'export credit')} a month
                </p>
              )}
              <p className={styles['soft']}>
                {rate.perSecond} calls/s, {counted(limits.streams, 'stream')}, {counted(limits.webhookEndpoints, 'webhook endpoint')},{' '}
                {counted(limits.watchlists, 'watchlist')}
              </p>
              {priceCents === null || id === planId ? null : (
                <button type="button" disabled={isPending} onClick={() => buy(id as Bought, interval)}>
                  Order {tier} for {dollars(priceCents[interval])}
                </button>
              )}
            </li>
          ))}
        <li>
          <h3>Top-up</h3>
          <p className={styles['price']}>
            {dollars(topup.priceCents)} <span className={styles['soft']}>once</span>
          </p>
          <p>
            {counted(topup.credits.market_state, 'credit')} and {counted(topup.credits.export, 'export credit')}
          </p>
          <p className={styles['soft']}>kept until used, whatever the plan</p>
          <button type="button" disabled={isPending} onClick={() => buy('topup', 'month')}>
            Order a top-up for {dollars(topup.priceCents)}
          </button>
        </li>
      </ul>
      {error === null ? null : <ProblemNotice error={error} />}
      <p role="status">
        {data === undefined
          ? ''
          : data.provider === 'offline'
            ? `Order ${data.order_id} for ${dollars(data.amount_cents)} is recorded. No payment is taken here: whoever runs this service approves it.`
            : 'The page of the payment provider opens.'}
      </p>
    </section>
  );
}
