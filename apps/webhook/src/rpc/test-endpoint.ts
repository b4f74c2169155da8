import type { webhook } from '@market-state/contracts';
import { failedPrecondition } from '@market-state/errors';
import type { CallContext } from '@market-state/grpc';
import { inTransaction, type Queryable } from '@market-state/postgres';
import { idFaults, refuseFaults } from '@market-state/request-checks';
import type { Endpoint, EndpointDeps } from '../endpoints/endpoint';
import { requireEndpoint, requireLocked } from '../endpoints/require-endpoint';
import { newId } from '../ids';
import { OPERATIONAL_META } from '../messages/message';
import { recordMessages } from '../messages/record-messages';
import { listReceipts, type Receipt } from '../store/attempts';
import { findMessageOfOccasion, takePositions } from '../store/messages';
import { showEndpoint } from './endpoints';
import { pause, showReceipt } from './messages';
import { enable } from './update-endpoint';

/** Longer than a first attempt, which takes at most 15 s. */
const WAIT_MS = 16_000;
const POLL_MS = 100;

export async function testEndpoint(
  deps: EndpointDeps,
  { tenantId, endpointId }: webhook.TestEndpointRequest,
  { signal }: Pick<CallContext, 'signal'>,
): Promise<webhook.TestEndpointResponse> {
  refuseFaults(idFaults('tenant_id', tenantId), idFaults('endpoint_id', endpointId));
  const { kind, url } = await requireEndpoint(deps.pool, tenantId, endpointId);
  // The worker checks the secret address of other destinations.
  if (kind === 'webhook') refuseFaults((await deps.targets.check(url)).faults);
  const { endpoint, messageId, receipt } = await sendTest(deps, tenantId, endpointId, signal);
  return {
    endpoint: await showEndpoint(deps, endpoint),
    messageId,
    attempt: receipt === undefined ? undefined : showReceipt(receipt),
  };
}

interface SentTest {
  readonly endpoint: Endpoint;
  readonly messageId: string;
  readonly receipt: Receipt | undefined;
}

/**
 * Takes the regular delivery path and waits for the first attempt. A 2xx makes the endpoint live.
 * @throws ServiceError `endpoint_disabled`
 */
export async function sendTest(deps: EndpointDeps, tenantId: string, endpointId: string, signal: AbortSignal): Promise<SentTest> {
  const { pool, notifier, clock } = deps;
  const { messageId, wakeUps } = await inTransaction(pool, async (client) => {
    // Lock order: message positions before queues.
    await takePositions(client, new Map([[tenantId, 0]]));
    const endpoint = await requireLocked(client, tenantId, endpointId);
    refuseDisabled(endpoint);
    await enable(deps, client, endpoint);
    const occasion = `webhook.test ${newId('dlv')}`;
    const recorded = await recordMessages(client, [testDraft(endpoint, occasion)], clock());
    return { ...recorded, messageId: await idOf(client, tenantId, occasion) };
  });
  await notifier.notify(wakeUps);
  const receipt = await firstReceipt(deps, { tenantId, endpointId, messageId }, signal);
  return { endpoint: await requireEndpoint(pool, tenantId, endpointId), messageId, receipt };
}

/** @throws ServiceError `endpoint_disabled` */
export function refuseDisabled({ status, disabledReason }: Endpoint): void {
  if (status !== 'disabled' || disabledReason === 'url_changed') return;
  throw failedPrecondition('endpoint_disabled', 'The webhook endpoint is disabled. Enable it first.', {
    metadata: { disabled_reason: disabledReason },
  });
}

function testDraft({ tenantId, endpointId, urlRevision }: Endpoint, occasion: string) {
  const data = { endpoint_id: endpointId, url_revision: urlRevision, note: 'A test: nothing has changed in the market.' };
  const draft = { tenantId, eventKind: 'webhook.test', occasion, symbol: '', data, meta: OPERATIONAL_META };
  return { ...draft, credits: 0 as const, onlyEndpointId: endpointId };
}

async function idOf(on: Queryable, tenantId: string, occasion: string): Promise<string> {
  const messageId = await findMessageOfOccasion(on, tenantId, occasion);
  if (messageId === undefined) throw new Error('a recorded message is missing');
  return messageId;
}

async function firstReceipt(
  { pool, stopping }: EndpointDeps,
  { tenantId, endpointId, messageId }: { readonly tenantId: string; readonly endpointId: string; readonly messageId: string },
  signal: AbortSignal,
): Promise<Receipt | undefined> {
  const filter = { tenantId, endpointId, messageId, outcome: '', fromMs: 0, toMs: 0 };
  const endMs = performance.now() + WAIT_MS;
  for (;;) {
    const [receipt] = await listReceipts(pool, filter, { limit: 1 });
    if (receipt !== undefined || performance.now() > endMs || stopping.aborted) return receipt;
    await pause(POLL_MS, { signal, stopping });
  }
}
