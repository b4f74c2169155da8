import { DayBars } from './balances';
import { whole } from '../../market/numbers';
import { Loaded, ProblemNotice } from '../../status-components/conditions';
import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { Facts } from '../../controls/facts';
import { Table } from '../../controls/table';
import type { Schemas } from '@market-state/client';
import { words, counted } from '@market-state/packet-figures';
import { useMutation } from '@tanstack/react-query';
import { Modal } from '../../controls/dialog';
import { clock, clockBelow, zoned } from '../../time/clock';
import styles from './usage.module.css';
import { useReceipt } from './use-usage';
import type { SpendLine } from './credits-by-day';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import { service } from '../../service/client';
import { sizeWords } from '../exports/job-labels';

/** Calls whose price depends on their input, and the quote for each. */
const CALLS = {
  latest: ['newest packet', (symbol: string) => service.quote('getLatest', { symbol })],
  history: ['packet history', (symbol: string, limit: number) => service.quote('listHistory', { symbol, limit })],
  replay: ['packet replay', (symbol: string, limit: number) => service.quote('replayPackets', { symbol, limit })],
  trades: ['newest trades', (symbol: string, limit: number) => service.quote('listLatestTrades', { symbol, limit })],
  window: ['replay of a row window', (symbol: string) => service.quote('getReplayWindow', { symbol })],
} as const;

/** Limit of the service. */
const ROWS_MAX = 1_000;
const FIELDS = ['symbol', 'limit'];

export function Estimate() {
  const { mutate, data, isPending, error } = useMutation({
    mutationFn: async (form: FormData) => {
      const [, quote] = CALLS[form.get('call') as keyof typeof CALLS];
      return (await quote(String(form.get('symbol')).trim().toUpperCase(), Number(form.get('limit')))).estimate;
    },
  });
  const faults = fieldFaults(error);
  return (
    <form onSubmit={onForm((form) => mutate(form))} className={styles['caps']}>
      <Choice
        className={styles['choice']}
        label="Call"
        name="call"
        options={Object.keys(CALLS) as (keyof typeof CALLS)[]}
        say={(name) => CALLS[name][0]}
      />
      <Field label="Symbol" name="symbol" required defaultValue="BTCUSD-PERP" autoComplete="off" fault={faults.get('symbol')} />
      <Field label="Rows" name="limit" type="number" required min={1} max={ROWS_MAX} defaultValue={100} fault={faults.get('limit')} />
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={isPending}>
          Get price
        </button>
        <span className={styles['soft']}>free</span>
      </p>
      <div role="status">
        {data === undefined ? null : (
          <>
            <p>
              <b>{counted(data.estimated_market_state_credit_cost, 'credit')}</b> at most: {data.estimate_basis}.{' '}
              {data.would_be_refused_with === null
                ? `You would have ${whole(data.market_state_credits_after)} credits left.`
                : `This call would be refused: ${data.would_be_refused_with.replaceAll('_', ' ')}.`}
            </p>
            <p>{answerWords(data)}</p>
            <p className={styles['soft']}>
              Prices {data.price_version}; valid until {clock(data.quote_expires_at_utc, 'time')}.
            </p>
          </>
        )}
      </div>
      <ProblemNotice error={error} fields={FIELDS} />
    </form>
  );
}

function answerWords({ row_total: rows, row_total_is: sureness, byte_total: bytes }: Schemas['UsageEstimate']): string {
  if (rows === null) return 'The number of rows is unknown.';
  const size = bytes === null ? '' : `, about ${sizeWords(bytes)} before compression`;
  return `${counted(rows, 'row')}${sureness === 'at_most' ? ' at most' : ''}${size}.`;
}

interface SpendChartProps {
  readonly lines: readonly SpendLine[];
  readonly sum: SpendLine;
  readonly days: readonly string[];
  readonly of: string;
}

/** All rows share the scale of the sum. */
export function SpendChart({ lines, sum, days, of }: SpendChartProps) {
  const most = Math.max(1, ...sum.days);
  return (
    <>
      <Table
        className={styles['spend']}
        caption={
          <>
            Credits by {of} from {days[0]} to {days.at(-1)}; highest day {whole(most)}
          </>
        }
        rows={[sum, ...lines]}
        keyOf={(line) => line.id}
        rowProps={(line) => ({ 'data-sum': line.id === sum.id })}
        columns={[
          { head: of === 'family' ? 'Family' : 'Who', cell: (line) => line.name },
          {
            head: (
              <>
                {days[0]} to {days.at(-1)}, one bar per day, up to {counted(most, 'credit')}
              </>
            ),
            cell: (line) => <DayBars values={line.days} most={most} />,
            cellClass: styles['bars'],
          },
          { head: 'Credits', cell: (line) => whole(line.total), className: styles['number'] },
          { head: 'Calls', cell: (line) => whole(line.calls), className: styles['number'] },
        ]}
      />
      <details>
        <summary>Daily values as a table</summary>
        <div className={styles['scroll']}>
          <Table
            className={styles['table']}
            rows={days.map((day, index) => ({ day, index })).toReversed()}
            keyOf={({ day }) => day}
            columns={[
              { head: 'Day, UTC', cell: ({ day }) => day },
              ...[sum, ...lines].map(({ name, days: credits }) => ({
                head: name,
                cell: ({ index }: { readonly index: number }) => whole(credits[index] ?? 0),
                className: styles['number'],
              })),
            ]}
          />
        </div>
      </details>
    </>
  );
}

type Receipt = Schemas['UsageReceipt'];

export function Receipts({ receipts, onOpen }: { readonly receipts: readonly Receipt[]; readonly onOpen: (receiptId: string) => void }) {
  return (
    <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Receipts">
      <Table
        className={styles['table']}
        rows={receipts}
        keyOf={(receipt) => receipt.receipt_id}
        columns={[
          {
            head: zoned('Served'),
            cell: (receipt) => (
              <button type="button" className={styles['open']} onClick={() => onOpen(receipt.receipt_id)}>
                {clockBelow(receipt.served_at_utc)}
              </button>
            ),
          },
          { head: 'Charged', cell: (receipt) => chargeWords(receipt, 'observed'), className: styles['number'] },
          { head: 'Maximum', cell: (receipt) => chargeWords(receipt, 'estimated'), className: styles['number'] },
          {
            head: 'Call',
            cell: (receipt) => (
              <>
                {receipt.method} {receipt.endpoint.replace('/api/public/', '')}
              </>
            ),
          },
          { head: 'Family', cell: (receipt) => words(receipt.workload_family) },
        ]}
      />
    </div>
  );
}

function chargeWords(receipt: Receipt, which: 'observed' | 'estimated'): string {
  const exports = receipt[`${which}_export_credit_cost`];
  return exports > 0 ? `${whole(exports)} export` : whole(receipt[`${which}_market_state_credit_cost`]);
}

export function OpenReceipt({ receiptId, onClose }: { readonly receiptId: string; readonly onClose: () => void }) {
  const receipt = useReceipt(receiptId);
  return (
    <Modal title="Receipt" onClose={onClose}>
      <Loaded query={receipt} rows={8} label="Loading the receipt">
        {(data) => <ReceiptFacts receipt={data} />}
      </Loaded>
      <p>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </p>
    </Modal>
  );
}

function ReceiptFacts({ receipt }: { readonly receipt: Receipt }) {
  const facts: readonly (readonly [string, string])[] = [
    ['Call', `${receipt.method} ${receipt.endpoint}`],
    ['Served', `${clock(receipt.served_at_utc)}, status ${receipt.status}`],
    ['Maximum credits', chargeWords(receipt, 'estimated')],
    ['Charged credits', chargeWords(receipt, 'observed')],
    ['Family', words(receipt.workload_family)],
    ['Prices', receipt.price_version],
    ['Plan', receipt.plan_id],
    ['Caller', receipt.key_id ?? receipt.account_id ?? 'the service'],
    ['Quote', receipt.quote_id ?? 'none'],
    ['Request', receipt.request_id],
    ['Charge', receipt.operation_id],
    ['Receipt', receipt.receipt_id],
    ...receipt.produced_artifacts.map(({ artifact_id: id, produced_by: by }): readonly [string, string] => ['Produced', `${id} by ${by}`]),
  ];
  return <Facts className={styles['facts']} facts={facts.map(([name, value]) => [name, value])} />;
}
