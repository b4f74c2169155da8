import { useRead, read, service } from '../../service/client';
import { Choice } from '../../controls/choice';
import { Facts } from '../../controls/facts';
import { Table } from '../../controls/table';
import type { Params, Schemas } from '@market-state/client';
import { counted, words } from '@market-state/packet-figures';
import { type BillingInterval, plans, topup } from '@market-state/pricing';
import { Link, useSearchParams } from 'wouter';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Outline, Empty, ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';
import { DownloadAll } from '../../controls/download-all';
import { useCredits, useSession, SESSION_KEY } from '../../service/session';
import { clock, clockBelow, zoned } from '../../time/clock';
import styles from './billing.module.css';
import { dollars } from '../../market/numbers';
import { urlWord, useUrlState } from '../../service/url-state';
import { readPages } from '../../service/read-pages';

const ORDER_WORDS: Readonly<Record<Schemas['Order']['status'], string>> = {
  open: 'not paid or approved yet',
  fulfilled: 'fulfilled',
  expired: 'expired',
  cancelled: 'cancelled',
};

const INVOICES = ['account', 'invoices'] as const;
const ORDERS = ['account', 'orders'] as const;
const ROWS_SHOWN = 100;
const LIST_MAX = 1_000;

function useInvoices() {
  return useRead(INVOICES, (options) => service.billing.invoices({ limit: ROWS_SHOWN }, options));
}

function useOrders() {
  return useRead(ORDERS, (options) => service.billing.orders({ limit: ROWS_SHOWN }, options));
}

function readInvoices() {
  return readPages(service.billing.invoicesRows({ limit: LIST_MAX }), ({ rows }) => rows);
}

/** Polling is free. */
const BOOKED_POLL_MS = 2_000;
const BOOKED_WAIT_MS = 180_000;

type Booking = 'waiting' | 'booked' | 'late';

/**
 * Polls until a paid order appears among the invoices, then refetches plan and balances. `late` after the time limit;
 * null if nothing was paid.
 */
function useBooking(paidOrder: string | null): Booking | null {
  const queries = useQueryClient();
  const [isLate, setIsLate] = useState(false);
  const { data } = useInvoices();
  const isBooked = data?.rows.some(({ order_id: id }) => id === paidOrder) === true;
  useEffect(() => {
    if (paidOrder === null || isBooked || isLate) return undefined;
    const poll = setInterval(() => void queries.invalidateQueries({ queryKey: INVOICES }, { cancelRefetch: false }), BOOKED_POLL_MS);
    const end = setTimeout(() => setIsLate(true), BOOKED_WAIT_MS);
    return () => {
      clearInterval(poll);
      clearTimeout(end);
    };
  }, [paidOrder, isBooked, isLate, queries]);
  useEffect(() => {
    if (paidOrder !== null && isBooked) void queries.invalidateQueries({ queryKey: SESSION_KEY });
  }, [paidOrder, isBooked, queries]);
  if (paidOrder === null) return null;
  return isBooked ? 'booked' : isLate ? 'late' : 'waiting';
}

/** Free: the response holds the address for payment. */
function useCheckout() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (order: Pick<Params<'createCheckoutSession'>, 'plan_id' | 'billing_interval'>) => read(service.billing.checkout(order)),
    onSuccess({ provider, checkout_url: url }) {
      void queries.invalidateQueries({ queryKey: ORDERS });
      if (provider !== 'offline') location.assign(url);
    },
  });
}

function useBillingPortal() {
  return useMutation({
    mutationFn: () => read(service.billing.openPortal({ return_url: '/billing' })),
    onSuccess({ provider, portal_url: url }) {
      if (provider !== 'offline') location.assign(url);
    },
  });
}

function Invoices({ order }: { readonly order: string }) {
  const { data, error, refetch } = useInvoices();
  const orders = useOrders();
  const invoiced = new Set(data?.rows.map(({ order_id: id }) => id));
  const waiting = orders.data?.rows.filter(({ order_id: id }) => !invoiced.has(id)) ?? [];
  return (
    <section aria-label="Invoices" className={styles['panel']}>
      <h2>Orders and invoices</h2>
      <ProblemNotice error={error} retry={() => void refetch()} />
      <ProblemNotice error={orders.error} retry={() => void orders.refetch()} />
      {data === undefined && error === null ? <Outline rows={3} label="Loading invoices" /> : null}
      {data?.rows.length === 0 && waiting.length === 0 ? (
        <Empty why="No orders yet.">Orders of your plan and top-ups, and their invoices.</Empty>
      ) : null}
      {data === undefined || data.rows.length + waiting.length === 0 ? null : (
        <Table
          className={styles['table']}
          rows={[...waiting, ...data.rows]}
          keyOf={(row) => ('invoice_id' in row ? row.invoice_id : row.order_id)}
          rowProps={(row) => ({ 'data-own': row.order_id === order })}
          columns={[
            { head: zoned('Written'), cell: (row) => clockBelow(row.created_utc, 'minute') },
            {
              head: 'Item',
              cell: (row) => `${itemName(row.plan_id)}${row.billing_interval === null ? '' : `, per ${row.billing_interval}`}`,
            },
            { head: 'Price', cell: (row) => dollars(row.amount_cents), className: styles['number'] },
            { head: 'State', cell: (row) => ('invoice_id' in row ? row.status : <OrderState order={row} />) },
            { head: 'Order', cell: (row) => <code>{row.order_id}</code> },
            {
              head: 'Document',
              cell: (row) => ('invoice_id' in row && row.document_url !== null ? <a href={row.document_url}>open</a> : 'none'),
            },
          ]}
        />
      )}
      {data === undefined || data.rows.length === 0 ? null : (
        <p className={sheet['actions']}>
          {data.next_cursor === null ? null : <span className={styles['soft']}>Older invoices are not shown.</span>}
          <DownloadAll name="invoices" readAll={readInvoices} />
        </p>
      )}
    </section>
  );
}

function OrderState({ order: { status, provider, checkout_url: url } }: { readonly order: Schemas['Order'] }) {
  return (
    <>
      {ORDER_WORDS[status]} {status === 'open' && provider !== 'offline' ? <a href={url}>pay</a> : null}
    </>
  );
}

function itemName(planId: string): string {
  return planId === 'topup' ? 'Top-up' : (plans.find((plan) => plan.planId === planId)?.tier ?? words(planId));
}

const INTERVALS = ['month', 'year'] as const;
const INTERVAL = urlWord(INTERVALS, 'month');

type Bought = Params<'createCheckoutSession'>['plan_id'];

type OwnPlan = Pick<Schemas['AccountPlan'], 'plan_id' | 'credits' | 'credit_period'>;

const PERIODS: Readonly<Record<OwnPlan['credit_period'], string>> = { in_all: 'in total', day: 'per day', month: 'per month' };

function givesWords({ market_state: credits, export: exports }: OwnPlan['credits'], period: OwnPlan['credit_period']): string {
  return `${counted(credits, 'credit')} and ${counted(exports, 'export credit')} ${PERIODS[period]}`;
}

/** The own plan shows its agreed terms, which may differ from its tier. */
function Plans({ own }: { readonly own: OwnPlan | null }) {
  const planId = own?.plan_id;
  const [interval, setInterval] = useUrlState('interval', INTERVAL);
  const { mutate, data, isPending, error } = useCheckout();
  const buy = (bought: Bought, every: BillingInterval): void => mutate({ plan_id: bought, billing_interval: every });
  return (
    <section aria-label="Plans" className={styles['panel']}>
      <div className={styles['head']}>
        <h2>Plans and top-up</h2>
        <Choice label="Billed every" value={interval} options={INTERVALS} onChoose={setInterval} />
      </div>
      <ul className={styles['plans']}>
        {plans
          .filter(({ tier }) => tier !== null)
          .map(({ planId: id, tier, priceCents, credits, rate, limits }) => (
            <li key={id} data-own={id === planId}>
              <h3>
                {tier}
                {id === planId ? ' (current)' : ''}
              </h3>
              <p className={styles['price']}>
                {priceCents === null ? (
                  'by contract'
                ) : (
                  <>
                    {dollars(priceCents[interval])} <span className={styles['soft']}>per {interval}</span>
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
          <p className={styles['soft']}>never expires, on any plan</p>
          <button type="button" disabled={isPending} onClick={() => buy('topup', 'month')}>
            Buy a top-up for {dollars(topup.priceCents)}
          </button>
        </li>
      </ul>
      <ProblemNotice error={error} />
      <p role="status">
        {data === undefined
          ? ''
          : data.provider === 'offline'
            ? `Order ${data.order_id} for ${dollars(data.amount_cents)} is recorded. No payment is taken here: the operator of this service approves it.`
            : 'Opening the payment page.'}
      </p>
    </section>
  );
}

const BOOKINGS: Readonly<Record<Booking, string>> = {
  waiting: 'Thank you. Your payment is being processed. This takes up to a minute, and this page updates by itself.',
  booked: 'Thank you. Your payment is complete, and your purchase is listed below.',
  late: 'Thank you. Your payment is taking longer than usual. Nothing is lost: check this page again later.',
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
          Manage payment and invoices
        </button>
      </div>
      {outcome === '' ? null : (
        <p role="status" className={styles['outcome']}>
          {outcome}
        </p>
      )}
      <ProblemNotice error={portal.error} />
      {portal.data?.provider === 'offline' ? (
        <p role="status" className={styles['outcome']}>
          This service takes no payments itself; this page lists your orders and their status.
        </p>
      ) : null}
      <div className={styles['panels']}>
        <section aria-label="Your plan" className={styles['panel']}>
          <h2>Your plan</h2>
          {session.data === undefined ? <Outline rows={3} /> : null}
          {session.data !== undefined && plan === null ? <p>You have no plan.</p> : null}
          {plan === null ? null : (
            <Facts
              className={styles['facts']}
              facts={[
                ['Plan', plan.tier ?? plan.plan_id],
                ['Allowance', givesWords(plan.credits, plan.credit_period)],
                plan.renews_utc === null ? null : ['Resets', clock(plan.renews_utc, 'minute')],
                plan.ends_utc === null ? null : ['Ends', clock(plan.ends_utc, 'minute')],
                [
                  'Credits left',
                  <>
                    {credits.map(({ kind, left }) => counted(left, kind === 'export' ? 'export credit' : 'credit')).join(', ')};{' '}
                    <Link href="/usage">balances and spend</Link>
                  </>,
                ],
                [
                  'Reserved',
                  credits
                    .map(({ kind, reservedForCalls, reservedForExports }) =>
                      counted(reservedForCalls + reservedForExports, kind === 'export' ? 'export credit' : 'credit'),
                    )
                    .join(', '),
                ],
              ]}
            />
          )}
        </section>
        <Plans own={plan} />
        <Invoices order={order} />
      </div>
    </>
  );
}

/** Without a payment provider, an order's link leads straight here. */
function outcomeWords(checkout: string | null, booking: Booking | null, order: string): string {
  if (booking !== null) return BOOKINGS[booking];
  if (checkout === 'cancelled') return 'Checkout was cancelled. Nothing was charged.';
  if (order === '') return '';
  return `Order ${order} is recorded. No payment is taken here: the operator of this service approves it.`;
}
