import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { Table } from '../../controls/table';
import { useMemo } from 'react';
import { counted } from '@market-state/packet-figures';
import { Empty, Outline, ProblemNotice } from '../../status-components/conditions';
import sheet from '../../theme/sheet.module.css';
import { MoreRows } from '../../controls/download-all';
import { useSession, useRoleGap } from '../../service/session';
import { urlText, urlWord, useUrlState } from '../../service/url-state';
import { BalanceHistory, Balances } from './balances';
import { Estimate, OpenReceipt, Receipts, SpendChart } from './spending';
import { daysOf, spendLines, sumOf } from './credits-by-day';
import styles from './usage.module.css';
import {
  type Usage,
  useKeyNames,
  useUsage,
  readReceipts,
  type Workload,
  useTiers,
  REHEARSED_DAYS,
  useCaps,
  useRehearsal,
  useSetCaps,
} from './use-usage';
import { dollars, whole } from '../../market/numbers';
import { Field } from '../../account/field';
import { fieldFaults, isSaidAtFields } from '../../account/field-errors';
import { type Caps, refusedCalls } from './refused-calls';

/** Spreads the window's usage evenly over a month. */
function Tiers({ workload, planId }: { readonly workload: Workload; readonly planId: string | undefined }) {
  const { data, error, refetch } = useTiers(workload);
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return (
    <>
      <p className={styles['soft']}>
        {data === undefined
          ? 'Calculating…'
          : `A month like this at the usual prices: ${whole(data.market_state_credits_a_month)} market-state and ${whole(data.export_credits_a_month)} export credits.`}
      </p>
      <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Tiers">
        <Table
          className={styles['table']}
          rows={data?.tiers ?? []}
          keyOf={(tier) => tier.plan_id}
          rowProps={(tier) => ({ 'data-sum': tier.plan_id === planId })}
          columns={[
            {
              head: 'Plan',
              cell: (tier) => (
                <>
                  {tier.tier}
                  {tier.plan_id === planId ? ', yours' : ''}
                </>
              ),
            },
            {
              head: 'USD per month',
              cell: (tier) => (tier.price_cents_month_with_topups === null ? 'by contract' : dollars(tier.price_cents_month_with_topups)),
              className: styles['number'],
            },
            {
              head: 'Credits included',
              cell: (tier) => (tier.included === null ? 'by contract' : whole(tier.included.market_state)),
              className: styles['number'],
            },
            {
              head: 'Left over',
              cell: (tier) => (tier.headroom === null ? 'by contract' : whole(tier.headroom.market_state)),
              className: styles['number'],
            },
            {
              head: 'Top-ups',
              cell: (tier) => (tier.topups_needed === null ? 'by contract' : tier.topups_needed),
              className: styles['number'],
            },
            {
              head: 'Fits',
              cell: (tier) => (
                <>
                  {fitWords(tier)}
                  {tier.plan_id === data?.cheapest_plan_id ? ', the cheapest' : ''}
                </>
              ),
            },
          ]}
        />
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

const DAYS_SHOWN = ['7', '31', '90'] as const;
const DAYS = urlWord(DAYS_SHOWN, '31');
const GROUPS = ['family', 'key'] as const;
const BY = urlWord(GROUPS, 'family');
const CREDITS = ['market_state', 'export'] as const;
const CREDIT = urlWord(CREDITS, 'market_state');
const CREDIT_WORDS = { market_state: 'market-state credits', export: 'export credits' } as const;
const DAYS_A_MONTH = 30;

export default function UsagePage() {
  const [days, setDays] = useUrlState('days', DAYS);
  const [keyId, setKeyId] = useUrlState('key_id', urlText);
  const [receiptId, setReceiptId] = useUrlState('receipt', urlText);
  const usage = useUsage(Number(days), keyId);
  const keyNames = useKeyNames();
  const { data: session } = useSession({ isFresh: true });
  const first = usage.data?.pages[0];
  const receipts = usage.data?.pages.flatMap((page) => page.receipts) ?? [];
  const workload = useMemo(() => (first === undefined ? null : workloadOf(first)), [first]);
  return (
    <>
      <div className={styles['bar']}>
        <h1>Usage</h1>
        <Choice
          className={styles['push']}
          label="Show"
          value={keyId}
          options={['', ...(keyId === '' || keyNames.has(keyId) ? [] : [keyId]), ...keyNames.keys()]}
          say={(id) => (id === '' ? 'everyone' : (keyNames.get(id) ?? id))}
          onChoose={setKeyId}
        />
        <Choice label="Days" value={days} options={DAYS_SHOWN} onChoose={setDays} />
      </div>
      <ProblemNotice error={usage.error} retry={() => void usage.refetch()} />
      {usage.isPending ? <Outline rows={8} label="Loading balances and spend" /> : null}
      {first === undefined ? null : (
        <div className={styles['panels']}>
          <div className={styles['column']}>
            <Balances usage={first} />
            <section aria-label="Call receipts" className={styles['panel']}>
              <h2>
                Receipts <span className={styles['soft']}>amounts in credits; receipts never change</span>
              </h2>
              {receipts.length === 0 ? (
                <Empty why="No receipts in this period.">Every metered call creates one within a second.</Empty>
              ) : (
                <Receipts receipts={receipts} onOpen={setReceiptId} />
              )}
              {receipts.length === 0 ? null : (
                <MoreRows
                  list={usage}
                  className={sheet['actions'] ?? ''}
                  action="Older receipts"
                  name="receipts"
                  readAll={() => readReceipts(Number(days), keyId)}
                />
              )}
            </section>
          </div>
          <div className={styles['column']}>
            <Spend usage={first} keyNames={keyNames} />
            <section aria-label="Daily balance" className={styles['panel']}>
              <h2>
                Daily balance <span className={styles['soft']}>for the whole tenant, by posting day</span>
              </h2>
              <BalanceHistory days={Number(days)} />
            </section>
            <section aria-label="Caps" className={styles['panel']}>
              <h2>
                Caps{' '}
                <span className={styles['soft']}>credit limits of the whole tenant; calls over a limit are refused free of charge</span>
              </h2>
              <CapsForm />
            </section>
            <section aria-label="Estimate" className={styles['panel']}>
              <h2>Estimate the cost of a call</h2>
              <Estimate />
            </section>
            <section aria-label="Plans for this usage" className={styles['panel']}>
              <h2>This usage on each plan</h2>
              {workload === null ? null : <Tiers workload={workload} planId={session?.plan?.plan_id} />}
            </section>
          </div>
        </div>
      )}
      {receiptId === '' ? null : <OpenReceipt receiptId={receiptId} onClose={() => setReceiptId('')} />}
    </>
  );
}

function Spend({ usage, keyNames }: { readonly usage: Usage; readonly keyNames: ReadonlyMap<string, string> }) {
  const [by, setBy] = useUrlState('by', BY);
  const [credit, setCredit] = useUrlState('credit', CREDIT);
  const days = daysOf(usage.from_utc, usage.to_utc);
  const lines = spendLines(usage.spend, { by, credit, days, keyNames });
  return (
    <section aria-label="Daily spend" className={styles['panel']}>
      <div className={styles['head']}>
        <h2>Daily spend</h2>
        <Choice label="by" value={by} options={GROUPS} say={(each) => (each === 'key' ? 'key or account' : each)} onChoose={setBy} />
        <Choice label="in" value={credit} options={CREDITS} say={(each) => CREDIT_WORDS[each]} onChoose={setCredit} />
      </div>
      {lines.length === 0 ? (
        <Empty why="No credits of this kind were spent in this period." />
      ) : (
        <SpendChart lines={lines} sum={sumOf(lines, days)} days={days} of={by} />
      )}
    </section>
  );
}

/** Calls per day and family, over the days that had any; free routes are left out. */
function workloadOf({ spend }: Usage): Workload {
  const rows = spend.filter((row) => row.market_state_credits + row.export_credits > 0);
  const days = Math.max(1, new Set(rows.map(({ day }) => day)).size);
  const calls = new Map<string, number>();
  for (const row of rows) calls.set(row.workload_family, (calls.get(row.workload_family) ?? 0) + row.calls);
  const exports = calls.get('export_job') ?? 0;
  calls.delete('export_job');
  return {
    calls_per_day: Object.fromEntries([...calls].map(([family, total]) => [family, Math.ceil(total / days)])),
    exports_per_month: Math.ceil((exports / days) * DAYS_A_MONTH),
  };
}

const CAP_FIELDS: readonly (readonly [keyof Caps, string])[] = [
  ['per_call_credit_ceiling', 'Per call'],
  ['daily_credit_cap', 'Per day (UTC)'],
  ['monthly_credit_cap', 'Per month'],
  ['export_credit_cap', 'Exports per month'],
];
/** Limit of the service. */
const CREDITS_MAX = 1_000_000_000;

function capsOf(form: FormData): Caps {
  const cap = (name: keyof Caps): number | null => (form.get(name) === '' ? null : Number(form.get(name)));
  return {
    per_call_credit_ceiling: cap('per_call_credit_ceiling'),
    daily_credit_cap: cap('daily_credit_cap'),
    monthly_credit_cap: cap('monthly_credit_cap'),
    export_credit_cap: cap('export_credit_cap'),
  };
}

function CapsForm() {
  const caps = useCaps();
  const setting = useSetCaps();
  const rehearsal = useRehearsal();
  const faults = fieldFaults(setting.error);
  const gap = useRoleGap('owner');
  const submit = onForm((form) => setting.mutate(capsOf(form)));
  if (caps.error !== null) return <ProblemNotice error={caps.error} retry={() => void caps.refetch()} />;
  if (caps.data === undefined) return <Outline rows={4} label="Loading caps" />;
  const current = caps.data;
  return (
    <form onSubmit={submit} className={styles['caps']}>
      {CAP_FIELDS.map(([name, label]) => (
        <Field
          key={name}
          label={label}
          name={name}
          type="number"
          min={0}
          max={CREDITS_MAX}
          step={1}
          placeholder="no limit"
          defaultValue={current[name] ?? ''}
          fault={faults.get(name)}
        />
      ))}
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={setting.isPending || gap !== undefined}>
          Save
        </button>
        <button
          type="button"
          disabled={rehearsal.isPending}
          onClick={({ currentTarget: { form } }) => {
            if (form !== null) rehearsal.mutate(capsOf(new FormData(form)));
          }}
        >
          {rehearsal.isPending ? 'Loading receipts…' : `Test on the last ${REHEARSED_DAYS} days`}
        </button>
        <span className={styles['soft']}>{gap ?? 'both are free'}</span>
      </p>
      <p role="status">
        {setting.isSuccess ? 'Set. ' : ''}
        {rehearsal.data === undefined ? '' : rehearsedWords(rehearsal.data)}
      </p>
      {setting.error === null ||
      isSaidAtFields(
        setting.error,
        CAP_FIELDS.map(([name]) => name),
      ) ? null : (
        <ProblemNotice error={setting.error} />
      )}
      <ProblemNotice error={rehearsal.error} />
    </form>
  );
}

function rehearsedWords({ receipts, caps, sinceUtc, isWhole }: NonNullable<ReturnType<typeof useRehearsal>['data']>): string {
  const { calls, refused } = refusedCalls(receipts, caps, sinceUtc);
  const of = `${counted(calls, 'charge')} ${isWhole ? `in ${REHEARSED_DAYS} days` : `among the newest ${whole(receipts.length)} receipts`}`;
  return `These caps would have refused ${whole(refused)} of ${of}, based on the maximum cost of each.`;
}
