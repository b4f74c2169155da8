import { ProblemNotice } from '../../conditions/problem-notice';
import type { Endpoint } from '../../service/use-endpoints';
import sheet from '../../theme/sheet.module.css';
import { clockBelow, zoned } from '../../time/clock';
import { costWords, useEnableEndpoint, useTestEndpoint, useUpdateEndpoint } from './use-webhooks';
import { outcomeWords, statusWords } from './webhook-words';
import styles from './webhooks.module.css';

/** What is done with an endpoint in a dialog of its own. */
export type EndpointAction = 'change' | 'rotate' | 'failures' | 'delete';

const ACTIONS: readonly (readonly [EndpointAction, string])[] = [
  ['change', 'Change'],
  ['rotate', 'Rotate the secret'],
  ['failures', 'Send failures again'],
  ['delete', 'Delete'],
];

interface EndpointViewProps {
  readonly record: Endpoint;
  readonly onAct: (action: EndpointAction) => void;
  readonly onClose: () => void;
}

/** One endpoint: how it is, which secrets sign, and what can be done. */
export function EndpointView({ record, onAct, onClose }: EndpointViewProps) {
  const { webhook_id: webhookId } = record;
  const test = useTestEndpoint();
  const update = useUpdateEndpoint();
  const enable = useEnableEndpoint();
  const error = test.error ?? update.error ?? enable.error;
  return (
    <section className={sheet['panel']} aria-label="Open endpoint">
      <div className={sheet['head']}>
        <h2>{record.url}</h2>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
      <dl className={styles['facts']}>
        <Fact name="Status" value={statusWords(record)} />
        <Fact name="Id" value={webhookId} />
        <Fact name={zoned('Added')} value={clockBelow(Date.parse(record.created_at_utc))} />
        <Fact
          name="Secrets that sign"
          value={record.secrets
            .map(({ created_at_utc: made, expires_at_utc: expires }) =>
              expires === null ? `one of ${clockBelow(Date.parse(made))}` : `one until ${clockBelow(Date.parse(expires))}`,
            )
            .join(', ')}
        />
        {record.paused_until_utc === null ? null : (
          <Fact name={zoned('Held back until')} value={`${clockBelow(Date.parse(record.paused_until_utc))}, after too many failures`} />
        )}
      </dl>
      <p className={sheet['actions']}>
        <button type="button" className={sheet['go']} disabled={test.isPending} onClick={() => test.mutate(webhookId)}>
          {test.isPending ? 'Waiting for its answer…' : 'Send a test, free'}
        </button>
        {record.status === 'disabled' ? (
          <button type="button" disabled={enable.isPending} onClick={() => enable.mutate(webhookId)}>
            Enable
          </button>
        ) : (
          <button type="button" disabled={update.isPending} onClick={() => update.mutate({ webhook_id: webhookId, disabled: true })}>
            Pause
          </button>
        )}
        {ACTIONS.map(([action, word]) => (
          <button key={action} type="button" onClick={() => onAct(action)}>
            {word}
          </button>
        ))}
        <span className={sheet['soft']}>each but the test {costWords('enableWebhook', { webhook_id: webhookId })}</span>
      </p>
      <p role="status">{test.data === undefined ? '' : testWords(test.data)}</p>
      {error === null ? null : <ProblemNotice error={error} />}
    </section>
  );
}

function testWords({ succeeded, attempt }: NonNullable<ReturnType<typeof useTestEndpoint>['data']>): string {
  if (attempt === null) return 'The test was sent; no attempt is known yet. Look at the attempts below.';
  const how = `${outcomeWords(attempt)} after ${attempt.duration_ms.toLocaleString('en-US')} ms`;
  return succeeded ? `The test was ${how}: the endpoint is live.` : `The test failed: ${how}.`;
}

function Fact({ name, value }: { readonly name: string; readonly value: string }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{value}</dd>
    </div>
  );
}
