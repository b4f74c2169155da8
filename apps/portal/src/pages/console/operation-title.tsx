import { type CallOperation, docsPath } from './operations';

/** An operation, its address, and where it is described. */
export function OperationTitle({ operation }: { readonly operation: CallOperation }) {
  return (
    <>
      <h2>{operation.summary}</h2>
      <p>
        <code>
          {operation.method} {operation.path}
        </code>{' '}
        <a href={docsPath(operation)}>Its documentation</a>
      </p>
    </>
  );
}
