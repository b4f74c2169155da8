import type { OperationId, Params } from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { EXIT, type ExitCode } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { withOutput } from '../io/line-output';
import type { Row } from '../output/cells';
import { formatOf } from '../output/settings';
import { writeObject } from '../output/write-object';
import type { Session } from './run-client';
import type { ClientSettings } from './settings';

/** A call that a command would make. */
export interface PlannedCall {
  readonly operation: OperationId;
  readonly params: Row;
}

/** Shows the request and what the service says it would cost at most. Only the estimate is asked for, which is free. */
export async function dryRun(session: Session, { operation, params }: PlannedCall, settings: ClientSettings, io: CliIo): Promise<ExitCode> {
  const { method, path, isMetered } = describeOperation(operation);
  const { path: address, body } = session.ms.requestOf(operation, params as Params<typeof operation>);
  const asked = { ...params, route: path, method } as Params<'estimateUsage'>;
  const estimate = isMetered ? (await session.ms.usage.estimate(asked, { signal: io.signal })).data : undefined;
  const plan = {
    request: `${method} ${session.access.url}${address}`,
    body: body ?? 'none',
    market_state_credits_at_most: estimate?.estimated_market_state_credit_cost ?? 0,
    export_credits_at_most: estimate?.estimated_export_credit_cost ?? 0,
    depends_on: estimate?.estimate_basis ?? 'nothing: it is not metered',
    market_state_credits_after: estimate?.market_state_credits_after ?? null,
    export_credits_after: estimate?.export_credits_after ?? null,
    would_be_refused_with: estimate?.would_be_refused_with ?? 'nothing',
    rows: estimate?.row_total ?? null,
    rows_are: estimate?.row_total_is ?? 'unknown',
    bytes_about: estimate?.byte_total ?? null,
  };
  await withOutput(io, undefined, (output) => writeObject(output, plan, formatOf(settings, io.stdout), settings.fields));
  return EXIT.done;
}
