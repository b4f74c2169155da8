import { account } from '@market-state/contracts';
import { idFaults, optionalIdFaults, refuseFaults } from '@market-state/request-checks';
import type { AccountsDeps } from '../../accounts/deps';
import * as store from '../../store/account-events';
import { pageOfTenant } from '../page';
import { readNetwork, toProtoRole } from './wire';

/** Newest first. */
export async function listAccountEvents(
  { pool }: Pick<AccountsDeps, 'pool'>,
  request: account.ListAccountEventsRequest,
): Promise<account.ListAccountEventsResponse> {
  const placeOf = ({ createdTsMs, id }: store.AccountEvent) => ({ atMs: createdTsMs, id });
  const { page, nextCursor } = await pageOfTenant(pool, ['a1', 'account_event'], request, store.listAccountEvents, placeOf);
  return {
    events: page.map(
      ({ id: eventId, kind, accountId, keyId, subjectId, address, createdTsMs, accountEmail, subjectEmail, role, method }) => ({
        eventId,
        kind,
        accountId: accountId ?? '',
        keyId: keyId ?? '',
        subjectId: subjectId ?? '',
        address: address ?? '',
        createdTsMs,
        accountEmail: accountEmail ?? '',
        subjectEmail: subjectEmail ?? '',
        role: role === null ? account.MemberRole.UNSPECIFIED : toProtoRole(role),
        method: method ?? '',
      }),
    ),
    nextCursor,
  };
}

const DESTINATION_KINDS: ReadonlySet<string> = new Set(['destination_created', 'destination_changed', 'destination_deleted']);

/** Records an action that another service carried out. */
export async function recordDestinationEvent(
  deps: AccountsDeps,
  { tenantId, accountId, keyId, kind, subjectId, address }: account.RecordDestinationEventRequest,
): Promise<account.RecordDestinationEventResponse> {
  const { network, faults } = readNetwork(address);
  refuseFaults([
    ...idFaults('tenant_id', tenantId),
    ...optionalIdFaults('account_id', accountId),
    ...optionalIdFaults('key_id', keyId),
    ...idFaults('subject_id', subjectId),
    ...(DESTINATION_KINDS.has(kind) ? [] : [{ field: 'kind', message: 'must be a kind of a destination event', type: 'unsupported' }]),
    ...faults,
  ]);
  const actor = { accountId: accountId === '' ? null : accountId, keyId: keyId === '' ? null : keyId };
  await store.writeAccountEvent(deps.pool, { tenantId, kind: kind as store.AccountEventKind, ...actor, subjectId, network }, deps);
  return {};
}
