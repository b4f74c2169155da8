import { setTimeout as wait } from 'node:timers/promises';
import { MarketState, type OperationId, type Params, type CallFacts } from '@market-state/client';
import { describeOperation } from '@market-state/client/operations';
import { type Access, openAccess } from './access';
import { type ExitCode, EXIT } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import { asCliError } from './open-service';
import type { ClientSettings } from './settings';
import { withOutput } from '../io/line-output';
import { type Row, writeObject } from '../output/row-writer';
import { formatOf } from '../output/settings';
import { count, counted } from '../io/instant';

/** Receipts become readable within a second of the call. */
const RECEIPT_TRIES = 5;
const RECEIPT_WAIT_MS = 250;

interface Meter {
  onAnswer(call: CallFacts): void;
  line(ms: MarketState, maxCredits: number): Promise<string | undefined>;
}

function createMeter({ signal }: Pick<CliIo, 'signal'>): Meter {
  let last: CallFacts | undefined;
  let isClosed = false;
  return {
    onAnswer(call) {
      if (!isClosed) last = call;
    },
    async line(ms, maxCredits) {
      if (last === undefined) return undefined;
      isClosed = true;
      const spent = maxCredits - (ms.budgetLeft ?? maxCredits);
      const { receipt, left } = await receiptOf(ms, last, signal);
      const parts = [`cost ${count(spent)} of ${count(maxCredits)} allowed`];
      if (left !== null) parts.push(`${count(left)} left`);
      return [...parts, receipt].join(', ');
    },
  };
}

/** Falls back to the request id until the receipt exists. */
async function receiptOf(
  ms: MarketState,
  { requestId, remaining }: CallFacts,
  signal: AbortSignal,
): Promise<{ readonly receipt: string; readonly left: number | null }> {
  const unknown = { receipt: `request ${requestId}`, left: remaining };
  for (let tries = 1; tries <= RECEIPT_TRIES && !signal.aborted; tries += 1) {
    try {
      const { data, call } = await ms.usage.receipt({ request_id: requestId }, { signal });
      const { rows } = data;
      const more = rows.length > 1 ? ` and ${counted(rows.length - 1, 'more', 'more')}` : '';
      return { receipt: `receipt ${data.receipt_id}${more}`, left: call.remaining ?? remaining };
    } catch {
      if (tries < RECEIPT_TRIES) await wait(RECEIPT_WAIT_MS, undefined, { signal }).catch(() => undefined);
    }
  }
  return unknown;
}

interface PlannedCall {
  readonly operation: OperationId;
  readonly params: Row;
}

/** Sends only the estimate call, which is free. */
export async function dryRun(session: Session, { operation, params }: PlannedCall, settings: ClientSettings, io: CliIo): Promise<ExitCode> {
  const { method, path, isMetered } = describeOperation(operation);
  const { path: address, body } = session.ms.requestOf(operation, params as Params<typeof operation>);
  const estimateParams = { ...params, route: path, method } as Params<'estimateUsage'>;
  const estimate = isMetered ? (await session.ms.usage.estimate(estimateParams, { signal: io.signal })).data : undefined;
  const plan = {
    request: `${method} ${session.access.url}${address}`,
    body: body ?? 'none',
    market_state_credits_at_most: estimate?.estimated_market_state_credit_cost ?? 0,
    export_credits_at_most: estimate?.estimated_export_credit_cost ?? 0,
    depends_on: estimate?.estimate_basis ?? 'not metered',
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

/** Makes a call; with --dry-run only reports what it would cost. */
export function runCall(
  io: CliIo,
  settings: ClientSettings,
  planned: PlannedCall,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  return runClient(io, settings, (session) => (settings.isDryRun ? dryRun(session, planned, settings, io) : work(session)));
}

export interface Session {
  /** Limited to the command's credits. */
  readonly ms: MarketState;
  readonly access: Access;
  say(line: string): void;
}

/**
 * The cost of the calls is the last line on stderr, even if `work` fails.
 * @throws CliError with the exit code that matches the service's error
 */
export async function runClient(
  io: CliIo,
  settings: Pick<ClientSettings, 'url' | 'dataDir' | 'maxCredits'>,
  work: (session: Session) => Promise<ExitCode>,
): Promise<ExitCode> {
  const access = await openAccess(io, settings);
  const meter = createMeter(io);
  const { maxCredits } = settings;
  const options = { baseUrl: access.url, apiKey: access.apiKey, maxCreditsPerCall: maxCredits };
  const ms = new MarketState({ ...options, onAnswer: (_id, call) => meter.onAnswer(call) }).withBudget(maxCredits);
  const say = (line: string): void => void io.stderr.write(`${line}\n`);
  const cost = async (): Promise<void> => {
    const line = await meter.line(ms, maxCredits);
    if (line !== undefined) say(line);
  };
  try {
    const exitCode = await work({ ms, access, say });
    await cost();
    return exitCode;
  } catch (error) {
    await cost();
    throw asCliError(error, access.url);
  }
}
