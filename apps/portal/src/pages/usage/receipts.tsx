import type { Schemas } from '@market-state/client';
import { words } from '@market-state/packet-figures';
import { Outline } from '../../conditions/placeholder';
import { ProblemNotice } from '../../conditions/problem-notice';
import { Modal } from '../../controls/dialog';
import { clock, clockBelow, zoned } from '../../time/clock';
import { whole } from './balances';
import styles from './usage.module.css';
import { useReceipt } from './use-usage';

type Receipt = Schemas['UsageReceipt'];

interface ReceiptsProps {
  readonly receipts: readonly Receipt[];
  readonly onOpen: (receiptId: string) => void;
}

/** What each call cost, newest first: at most beforehand, and in fact. */
export function Receipts({ receipts, onOpen }: ReceiptsProps) {
  return (
    <div className={styles['scroll']} tabIndex={0} role="group" aria-label="Receipts">
      <table className={styles['table']}>
        <thead>
          <tr>
            <th scope="col">{zoned('Served')}</th>
            <th scope="col" className={styles['number']}>
              Charged
            </th>
            <th scope="col" className={styles['number']}>
              At most
            </th>
            <th scope="col">Call</th>
            <th scope="col">Family</th>
          </tr>
        </thead>
        <tbody>
          {receipts.map((receipt) => (
            <tr key={receipt.receipt_id}>
              <th scope="row">
                <button type="button" className={styles['open']} onClick={() => onOpen(receipt.receipt_id)}>
                  {clockBelow(Date.parse(receipt.served_at_utc))}
                </button>
              </th>
              <td className={styles['number']}>{chargeWords(receipt, 'observed')}</td>
              <td className={styles['number']}>{chargeWords(receipt, 'estimated')}</td>
              <td>
                {receipt.method} {receipt.endpoint.replace('/api/public/', '')}
              </td>
              <td>{words(receipt.workload_family)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

/** Credits of a receipt, with their kind where they are of export. */
function chargeWords(receipt: Receipt, which: 'observed' | 'estimated'): string {
  const exports = receipt[`${which}_export_credit_cost`];
  return exports > 0 ? `${whole(exports)} of export` : whole(receipt[`${which}_market_state_credit_cost`]);
}

/** One receipt with all that it says. */
export function OpenReceipt({ receiptId, onClose }: { readonly receiptId: string; readonly onClose: () => void }) {
  const { data, error, refetch } = useReceipt(receiptId);
  return (
    <Modal title="Receipt" onClose={onClose}>
      {error === null ? null : <ProblemNotice error={error} retry={() => void refetch()} />}
      {data === undefined ? error === null ? <Outline rows={8} label="Loading the receipt" /> : null : <ReceiptFacts receipt={data} />}
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
    ['Served', `${clock(Date.parse(receipt.served_at_utc))}, status ${receipt.status}`],
    ['At most, credits', chargeWords(receipt, 'estimated')],
    ['Charged, credits', chargeWords(receipt, 'observed')],
    ['Family', words(receipt.workload_family)],
    ['Prices', receipt.price_version],
    ['Plan', receipt.plan_id],
    ['Caller', receipt.key_id ?? receipt.account_id ?? 'without a call'],
    ['Quote', receipt.quote_id ?? 'none'],
    ['Request', receipt.request_id],
    ['Charge', receipt.operation_id],
    ['Receipt', receipt.receipt_id],
    ...receipt.produced_artifacts.map(({ artifact_id: id, produced_by: by }): readonly [string, string] => ['Made', `${id} by ${by}`]),
  ];
  return (
    <dl className={styles['facts']}>
      {facts.map(([name, value]) => (
        <div key={`${name} ${value}`}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
