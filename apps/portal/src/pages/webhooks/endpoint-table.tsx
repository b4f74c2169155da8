import records from '../../controls/records.module.css';
import type { Endpoint } from '../../service/use-endpoints';
import { clockBelow, zoned } from '../../time/clock';
import { HealthStrip } from './health-strip';
import type { useHealth } from './use-webhooks';
import { statusWords } from './webhook-words';

interface EndpointTableProps {
  readonly endpoints: readonly Endpoint[];
  /** Undefined until it is known. */
  readonly health: ReturnType<typeof useHealth>['data'];
  readonly openId: string;
  readonly onOpen: (webhookId: string) => void;
}

/** A row an endpoint; at phone width each row becomes a card. */
export function EndpointTable({ endpoints, health, openId, onOpen }: EndpointTableProps) {
  return (
    <table className={records['table']}>
      <caption className="visually-hidden">Webhook endpoints, newest first</caption>
      <thead>
        <tr>
          <th scope="col">Endpoint</th>
          <th scope="col">Status</th>
          <th scope="col">Attempts of the last 24 hours</th>
          <th scope="col">Messages</th>
          <th scope="col" className={records['number']}>
            Waiting
          </th>
          <th scope="col">{zoned('Last delivered')}</th>
        </tr>
      </thead>
      <tbody>
        {endpoints.map((endpoint) => (
          <tr key={endpoint.webhook_id} data-off={endpoint.status === 'disabled'} aria-current={endpoint.webhook_id === openId}>
            <th scope="row">
              <button type="button" className={records['open']} onClick={() => onOpen(endpoint.webhook_id)}>
                {endpoint.url}
              </button>
              <span className={records['more']}>
                {endpoint.description} {endpoint.test_target ? <span className={records['mark']}>test host</span> : null}
              </span>
            </th>
            <td data-column="Status">
              {statusWords(endpoint)}
              {endpoint.failing_since_utc === null ? null : (
                <span className={records['more']}>failing since {clockBelow(Date.parse(endpoint.failing_since_utc))}</span>
              )}
            </td>
            <td data-column="Attempts of the last 24 hours">
              {health === undefined ? '…' : <HealthStrip attempts={health.attempts} webhookId={endpoint.webhook_id} toMs={health.toMs} />}
            </td>
            <td data-column="Messages">
              {endpoint.event_kinds.join(', ')}
              <span className={records['more']}>
                {endpoint.symbols.length === 0 ? 'of all symbols' : `of ${endpoint.symbols.join(', ')}`}
              </span>
            </td>
            <td data-column="Waiting" className={records['number']}>
              {endpoint.waiting.toLocaleString('en-US')}
            </td>
            <td data-column={zoned('Last delivered')}>
              {endpoint.last_success_at_utc === null ? 'never' : clockBelow(Date.parse(endpoint.last_success_at_utc))}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
