import type { Params, Schemas } from '@market-state/client';
import { counted } from '@market-state/packet-figures';
import { type BillingInterval, plans, topup } from '@market-state/pricing';
import { ProblemNotice } from '../../conditions/problem-notice';
import { dollars } from '../../service/dollars';
import { urlWord, useUrlState } from '../../service/url-state';
import styles from './billing.module.css';
import { useCheckout } from './use-billing';

const INTERVAL = urlWord(['month', 'year'], 'month');

type Bought = Params<'createCheckoutSession'>['plan_id'];

type OwnPlan = Pick<Schemas['AccountPlan'], 'plan_id' | 'credits' | 'credit_period'>;

const PERIODS: Readonly<Record<OwnPlan['credit_period'], string>> = { in_all: 'in all', day: 'a day', month: 'a month' };

/** Credits that a plan gives, and for which time. */
export function givesWords({ market_state: credits, export: exports }: OwnPlan['credits'], period: OwnPlan['credit_period']): string {
  return `${counted(credits, 'credit')} and ${counted(exports, 'export credit')} ${PERIODS[period]}`;
}

/** Every tier with its price and order, and the top-up. The own plan is shown as agreed, which may differ from its tier. */
export function Plans({ own }: { readonly own: OwnPlan | null }) {
  const planId = own?.plan_id;
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
              {id === own?.plan_id ? (
                <p>{givesWords(own.credits, own.credit_period)}</p>
              ) : credits === null ? null : (
                <p>{givesWords(credits, 'month')}</p>
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
