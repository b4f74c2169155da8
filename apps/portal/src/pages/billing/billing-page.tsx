import { counted } from '@market-state/packet-figures';
import { Link, useSearchParams } from 'wouter';
import { Outline } from '../../conditions/outline';
import { ProblemNotice } from '../../conditions/problem-notice';
import { useCredits } from '../../service/credits';
import { useSession } from '../../service/session';
import { clock } from '../../time/clock';
import styles from './billing.module.css';
import { Invoices } from './invoices';
import { givesWords, Plans } from './plans';
import { type Booking, useBillingPortal, useBooking } from './use-billing';

/** What a payment that led back here has come to. */
const BOOKINGS: Readonly<Record<Booking, string>> = {
  waiting: 'Thank you. Your payment is being booked: that takes a minute at most, and this page shows it.',
  booked: 'Thank you. Your payment is booked: what you have bought is below.',
  late: 'Thank you. Your payment is not booked yet, which is unusual. Nothing is lost: open this page again later.',
};

export default function BillingPage() {
  const session = useSession({ isFresh: true });
  const credits = useCredits() ?? [];
  const [params] = useSearchParams();
  const order = params.get('order') ?? '';
  const checkout = params.get('checkout');
  const booking = useBooking(checkout === 'done' && order !== '' ? order : null);
  const outcome = outcomeWords(checkout, booking, order);
  const portal = useBillingPortal();
  const plan = session.data?.plan ?? null;
  return (
    <>
      <div className={styles['bar']}>
        <h1>Billing</h1>
        <button type="button" className={styles['push']} disabled={portal.isPending} onClick={() => portal.mutate()}>
          Payment and documents
        </button>
      </div>
      {outcome === '' ? null : (
        <p role="status" className={styles['outcome']}>
          {outcome}
        </p>
      )}
      {portal.error === null ? null : <ProblemNotice error={portal.error} />}
      {portal.data?.provider === 'offline' ? (
        <p role="status" className={styles['outcome']}>
          This service takes no payment itself: orders and their state are on this page.
        </p>
      ) : null}
      <div className={styles['panels']}>
        <section aria-label="Your plan" className={styles['panel']}>
          <h2>Your plan</h2>
          {session.data === undefined ? <Outline rows={3} /> : null}
          {session.data !== undefined && plan === null ? <p>You have no plan.</p> : null}
          {plan === null ? null : (
            <dl className={styles['facts']}>
              <div>
                <dt>Plan</dt>
                <dd>{plan.tier ?? plan.plan_id}</dd>
              </div>
              <div>
                <dt>Gives</dt>
                <dd>{givesWords(plan.credits, plan.credit_period)}</dd>
              </div>
              {plan.renews_utc === null ? null : (
                <div>
                  <dt>Next credits</dt>
                  <dd>{clock(Date.parse(plan.renews_utc), 'minute')}</dd>
                </div>
              )}
              {plan.ends_utc === null ? null : (
                <div>
                  <dt>Ends</dt>
                  <dd>{clock(Date.parse(plan.ends_utc), 'minute')}</dd>
                </div>
              )}
              <div>
                <dt>Credits left</dt>
                <dd>
                  {credits.map(({ kind, left }) => counted(left, kind === 'export' ? 'export credit' : 'credit')).join(', ')};{' '}
                  <Link href="/usage">balances and spend</Link>
                </dd>
              </div>
              <div>
                <dt>of these reserved</dt>
                <dd>
                  {credits
                    .map(({ kind, reservedForCalls, reservedForExports }) =>
                      counted(reservedForCalls + reservedForExports, kind === 'export' ? 'export credit' : 'credit'),
                    )
                    .join(', ')}
                </dd>
              </div>
            </dl>
          )}
        </section>
        <Plans own={plan} />
        <Invoices order={order} />
      </div>
    </>
  );
}

/** Where no provider takes payments, the link of an order leads straight here. */
function outcomeWords(checkout: string | null, booking: Booking | null, order: string): string {
  if (booking !== null) return BOOKINGS[booking];
  if (checkout === 'cancelled') return 'The checkout was left. Nothing was paid.';
  if (order === '') return '';
  return `Order ${order} is recorded. No payment is taken here: once whoever runs this service has approved it, it is among the invoices.`;
}
