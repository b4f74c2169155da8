import { useSearchParams } from 'wouter';
import { Empty } from '../../status-components/placeholder';
import sheet from '../../theme/sheet.module.css';
import { CallPanel } from './call-panel';
import { CallerPanel, useCaller } from './caller-panel';
import { OperationTitle, type CallOperation, findOperation, operations, NO_FORM, type NoForm } from './operations';

export default function ConsolePage() {
  const [params, setParams] = useSearchParams();
  const calling = useCaller();
  const operationId = params.get('operation') ?? '';
  const operation = findOperation(operationId);
  const noForm = operation === undefined ? undefined : NO_FORM[operation.id];
  return (
    <>
      <div className={sheet['bar']}>
        <h1>Console</h1>
        <label>
          Operation{' '}
          <select value={operation?.id ?? ''} onChange={({ target }) => setParams({ operation: target.value })}>
            <option value="" disabled>
              choose one
            </option>
            {tags.map((tag) => (
              <optgroup key={tag} label={tag}>
                {operations
                  .filter((each) => each.tag === tag)
                  .map(({ id, summary }) => (
                    <option key={id} value={id}>
                      {summary}
                    </option>
                  ))}
              </optgroup>
            ))}
          </select>
        </label>
        <span className={sheet['soft']}>call any operation of the API and see what it costs</span>
      </div>
      <div className={sheet['panels']}>
        <CallerPanel calling={calling} />
        {operation === undefined ? (
          <Empty why={operationId === '' ? 'No operation selected.' : `There is no operation ${operationId}.`}>
            Choose one above, or open it from the <a href="/docs/reference/operations">documentation</a>, which fills in the form.
          </Empty>
        ) : noForm === undefined ? (
          <CallPanel key={operation.id} operation={operation} calling={calling} />
        ) : (
          <NoFormView operation={operation} noForm={noForm} />
        )}
      </div>
    </>
  );
}

const tags = [...new Set(operations.map(({ tag }) => tag))];

function NoFormView({ operation, noForm: { why, instead } }: { readonly operation: CallOperation; readonly noForm: NoForm }) {
  return (
    <section className={sheet['panel']} aria-label={operation.summary}>
      <OperationTitle operation={operation} />
      <p>This operation can't be called from here. {why}</p>
      {instead === null ? null : (
        <p className={sheet['actions']}>
          <a href={instead.href}>{instead.words}</a>
        </p>
      )}
    </section>
  );
}
