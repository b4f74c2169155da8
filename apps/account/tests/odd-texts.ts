import { account } from '@market-state/contracts';
import { createClient, fromPartialFailure, type GrpcClient } from '@market-state/grpc';
import { isServiceError, type ServiceError } from '@market-state/errors';
import { testPeer } from '@market-state/testing';
import { startAccountUnderTest, type AccountUnderTest } from './account-under-test';
import { pricedAt } from './credits-under-test';

/** Fields that accept any text: not looked up or stored, or compared by digest only. */
const ANY_TEXT: ReadonlySet<string> = new Set([
  'password',
  'new_password',
  'current_password',
  'api_key',
  'claim_token',
  'reset_token',
  'invitation_token',
  'signature',
  'finishOidcLogin.login_secret',
  'finishOidcLogin.query',
  'finish.answer.content_type',
  'finish.answer.location',
  'login.email',
  'login.code',
  'confirmSecondFactor.code',
  'disableSecondFactor.code',
  'createRecoveryCodes.code',
  'requestPasswordReset.email',
]);

/** Enum fields, which are numbers on the wire. */
const ENUMS: ReadonlySet<string> = new Set(['kind', 'scopes', 'renewal', 'role', 'step']);

/** Failed batches name no fields: only gateways send them. */
const UNNAMED: ReadonlySet<string> = new Set(['postCharges']);

/** Names of resources: a malformed one is reported as not found. */
const NAMES: ReadonlySet<string> = new Set(['updateKey.key_id', 'rotateKey.key_id', 'revokeKey.key_id', 'approveOrder.order_id']);

const DIGEST = Buffer.alloc(32, 7);
const address = '203.0.113.9';
export const caller = { tenantId: 'ten_1', keyId: 'key_1', accountId: '' };
export const priced = { ...pricedAt(1, 0), quoteId: 'q', artifactIds: ['art_1'] };
const page = { limit: 10, cursor: '' };
const actor = { tenantId: 'ten_1', credentialDigest: DIGEST, address };
const member = { ...actor, accountId: 'acc_1' };
const planned = { planId: 'public_pro', renewal: account.Renewal.MONTHLY };
const keyed = { kind: account.KeyKind.LIVE, scopes: [account.Scope.READ], expiresTsMs: 0 };
const operation = { operationId: 'op_1', operationFence: 1 };
const answer = { status: 200, contentType: 'application/json', body: Buffer.from('{}'), location: '' };

/** A valid request for every call with text fields, by service. */
export const REQUESTS = {
  accounts: {
    definition: account.AccountServiceService,
    calls: {
      claim: { email: 'a@birds.example', password: 'long enough for us', apiKey: '', claimToken: 'x', address },
      login: { email: 'a@birds.example', password: 'long enough for us', code: '123456', address },
      logout: { sessionDigest: DIGEST, everywhere: false },
      endSession: { tenantId: 'ten_1', accountId: 'acc_1', sessionId: 'ses_1' },
      getSignInOptions: {},
      beginOidcLogin: { address },
      finishOidcLogin: { loginSecret: 'x'.repeat(43), query: 'state=x', address },
      verifySession: { sessionDigest: DIGEST },
      requestPasswordReset: { email: 'a@birds.example', address },
      confirmPasswordReset: { resetToken: 'x'.repeat(20), newPassword: 'long enough for us', address },
      requestEmailChange: { sessionDigest: DIGEST, newEmail: 'b@birds.example', currentPassword: 'long enough for us', address },
      confirmEmailChange: { sessionDigest: DIGEST, code: 'x'.repeat(20), address },
      beginSecondFactor: { sessionDigest: DIGEST, currentPassword: 'long enough for us', address },
      confirmSecondFactor: { sessionDigest: DIGEST, code: '123456', address },
      disableSecondFactor: { sessionDigest: DIGEST, currentPassword: 'long enough for us', code: '123456', address },
      createRecoveryCodes: { sessionDigest: DIGEST, currentPassword: 'long enough for us', code: '123456', address },
      listMembers: { tenantId: 'ten_1' },
      changeMemberRole: { ...member, role: account.MemberRole.OWNER },
      removeMember: member,
      leaveTenant: { sessionDigest: DIGEST, address },
      inviteMember: { ...actor, email: 'b@birds.example', role: account.MemberRole.OWNER },
      listInvitations: { tenantId: 'ten_1' },
      withdrawInvitation: { ...actor, invitationId: 'ivt_1' },
      acceptInvitation: { invitationToken: 'x'.repeat(20), password: 'long enough for us', address },
      listAccountEvents: { tenantId: 'ten_1', limit: 10, cursor: '' },
      recordDestinationEvent: { tenantId: 'ten_1', accountId: 'acc_1', keyId: '', kind: 'destination_created', subjectId: 'we_1', address },
      getMe: { tenantId: 'ten_1', accountId: 'acc_1' },
      getTenantStanding: { tenantId: 'ten_1' },
    },
  },
  keys: {
    definition: account.KeyServiceService,
    calls: {
      verifyKey: { keyDigest: DIGEST },
      noteKeyUses: { uses: [{ keyId: `key_${'0'.repeat(26)}`, usedTsMs: 1 }] },
      issueKey: { tenantName: 'odd', ...keyed },
      revokeKey: { keyId: `key_${'0'.repeat(26)}`, tenantId: 'ten_1' },
      createKey: { tenantId: 'ten_1', name: 'odd', ...keyed, ...operation },
      issueSandboxKey: { address },
      listKeys: { tenantId: 'ten_1', ...page },
      updateKey: { tenantId: 'ten_1', keyId: `key_${'0'.repeat(26)}`, name: 'odd', scopes: [] },
      rotateKey: { tenantId: 'ten_1', keyId: `key_${'0'.repeat(26)}`, overlapMs: 0 },
    },
  },
  credits: {
    definition: account.CreditServiceService,
    calls: {
      takeLease: { tenantId: 'ten_1', gatewayId: 'gw_1', needed: 1, wanted: 1 },
      postCharges: {
        batches: [
          {
            leaseId: 'lea_1',
            batch: 1,
            charges: [{ operationId: 'op_1', requestId: 'req_1', caller, priced, status: 200, servedTsMs: 1_000 }],
            groups: [{ caller, priced, status: 200, operationIds: ['op_2'], requestIds: ['req_2'], servedTsMs: [1_000] }],
          },
        ],
      },
      endLease: { leaseId: 'lea_1' },
      reserve: { operationId: 'op_1', caller, requestId: 'req_1', priced, expiresTsMs: 4_000_000_000_000 },
      settle: { operationId: 'op_1', observedMarketStateCredits: 0, observedExportCredits: 0, artifactIds: ['art_1'] },
      release: { operationId: 'op_1' },
      getBalances: { tenantId: 'ten_1' },
      getBalanceHistory: { tenantId: 'ten_1', fromTsMs: 0, toTsMs: 1_000, step: account.BalanceStep.DAY },
      previewCharge: {
        tenantId: 'ten_1',
        kind: account.CreditKind.EXPORT,
        credits: 1,
        unacknowledged: [{ leaseId: 'lea_1', batch: 1, credits: 1 }],
      },
      getUsage: { tenantId: 'ten_1', fromTsMs: 0, toTsMs: 1_000, workloadFamily: 'latest_packet' },
      listReceipts: {
        tenantId: 'ten_1',
        receiptId: 'rcp_1',
        requestId: 'req_1',
        workloadFamily: 'latest_packet',
        fromTsMs: 0,
        toTsMs: 0,
        ...page,
      },
      getSpendControls: { tenantId: 'ten_1' },
      setSpendControls: { tenantId: 'ten_1', controls: {} },
    },
  },
  idempotency: {
    definition: account.IdempotencyServiceService,
    calls: {
      begin: { tenantId: 'ten_1', method: 'POST', route: '/things', idempotencyKey: 'one', bodyDigest: DIGEST },
      finish: { tenantId: 'ten_1', operationId: 'op_1', fence: 1, answer },
      abandon: { tenantId: 'ten_1', operationId: 'op_1', fence: 1 },
    },
  },
  operator: {
    definition: account.OperatorServiceService,
    calls: {
      ensureTenant: { name: 'odd', ...planned },
      listTenants: page,
      createClaimToken: { tenantId: 'ten_1' },
      grantCredits: { tenantId: 'ten_1', marketStateCredits: 1, exportCredits: 0, expiresTsMs: 0, note: 'odd' },
      removeSecondFactor: { email: 'a@birds.example' },
      listTenantMembers: { tenantId: 'ten_1' },
      makeOwner: { email: 'a@birds.example' },
      setTenantDisabled: { tenantId: 'ten_1', disabled: false },
      listOrders: { tenantId: 'ten_1', status: 'open', ...page },
      approveOrder: { orderId: `ord_${'0'.repeat(26)}` },
      auditLedger: { tenantId: 'ten_1' },
    },
  },
  billing: {
    definition: account.BillingServiceService,
    calls: {
      createCheckout: {
        tenantId: 'ten_1',
        accountId: '',
        planId: 'topup',
        billingInterval: 'month',
        references: { contact_reference: 'c-1' },
        ...operation,
      },
      openPortal: { tenantId: 'ten_1', returnUrl: '' },
      listInvoices: { tenantId: 'ten_1', ...page },
      listTenantOrders: { tenantId: 'ten_1', ...page },
      receiveEvent: { body: Buffer.from('{}'), signature: 't=1,v1=00' },
    },
  },
} as const;

type Value = string | number | boolean | Buffer | readonly Value[] | { readonly [field: string]: Value };

/** Field name as in faults, and the request with another text in that field. */
interface TextField {
  readonly field: string;
  with(text: string): Value;
}

function textFields(value: Value, field = ''): TextField[] {
  if (typeof value === 'string') return [{ field, with: (text) => text }];
  if (typeof value !== 'object' || Buffer.isBuffer(value)) return [];
  const isList = Array.isArray(value);
  return Object.entries(value as Record<string, Value>).flatMap(([name, inner]) => {
    if (ENUMS.has(name)) return [];
    const snake = name.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`);
    const at = isList ? `${field}[${name}]` : field === '' ? snake : `${field}.${snake}`;
    return textFields(inner, at).map((text) => ({
      field: text.field,
      with: (odd: string) =>
        isList
          ? Object.assign([...(value as readonly Value[])], { [name]: text.with(odd) })
          : { ...(value as object), [name]: text.with(odd) },
    }));
  });
}

interface Case {
  readonly service: keyof typeof REQUESTS;
  readonly call: string;
  readonly field: string;
  readonly request: (text: string) => Value;
}

export const CASES: readonly Case[] = Object.entries(REQUESTS).flatMap(([service, { calls }]) =>
  Object.entries(calls).flatMap(([call, request]) =>
    textFields(request as Value).map(
      ({ field, with: request_ }): Case => ({ service: service as keyof typeof REQUESTS, call, field, request: request_ }),
    ),
  ),
);

/** Clients by their names in `REQUESTS`. */
export const clients = new Map<string, GrpcClient<account.KeyServiceService>>();

/** Error of a call, or of its batch; undefined on success. */
async function errorOf({ service: name, call, request }: Case, text: string): Promise<Pick<ServiceError, 'code' | 'faults'> | undefined> {
  const calls = clients.get(name)?.call as unknown as Record<string, (request: Value) => Promise<unknown>>;
  try {
    const answered = await calls[call]?.(request(text));
    const [outcome] = (answered as Partial<account.PostChargesResponse>).outcomes ?? [];
    if (outcome?.outcome?.$case !== 'failed') return undefined;
    return fromPartialFailure(outcome.outcome.value);
  } catch (error) {
    if (!isServiceError(error)) throw error;
    return error;
  }
}

/** Starts the service for a test file and tries each text in every field. */
export function testOddTexts(texts: readonly (readonly [name: string, text: string])[]): void {
  let service: AccountUnderTest;
  beforeAll(async () => {
    const limits = {
      address: [{ max: 1_000_000, windowMs: 1 }],
      loginPair: { max: 1_000_000, windowMs: 1 },
      loginAccount: { max: 1_000_000, windowMs: 1 },
      resetAddress: { max: 1_000_000, windowMs: 1 },
    };
    service = await startAccountUnderTest({ limits });
    await service.sql(`INSERT INTO tenant (id, name, created_at) VALUES ('ten_1', 'ten_1', now())`);
    for (const [name, { definition }] of Object.entries(REQUESTS)) {
      clients.set(
        name,
        createClient({
          definition,
          peer: testPeer('account'),
          address: service.server.address,
          deadlineMs: 60_000,
        }) as unknown as GrpcClient<account.KeyServiceService>,
      );
    }
  });
  afterAll(async () => {
    await Promise.all([...clients.values()].map((client) => client.close()));
    await service.stop();
  });

  test.each(texts)('%s in any field is never an internal error', async (name, text) => {
    const faults: unknown[] = [];
    for (const each of CASES) {
      const error = await errorOf(each, text);
      const isOurs = error !== undefined && ['INTERNAL', 'UNKNOWN', 'UNAVAILABLE', 'DEADLINE_EXCEEDED'].includes(error.code);
      const takesAny = ANY_TEXT.has(each.field) || ANY_TEXT.has(`${each.call}.${each.field}`);
      const isNamed = error?.faults.some(({ field }) => field.includes(each.field) || field === each.field.split('.').at(-1)) === true;
      const isRefused =
        takesAny ||
        isNamed ||
        (UNNAMED.has(each.call) && error?.code === 'INVALID_ARGUMENT') ||
        (NAMES.has(`${each.call}.${each.field}`) && error?.code === 'NOT_FOUND');
      if (isOurs || (name === 'a NUL' && !isRefused))
        faults.push({ call: each.call, field: each.field, code: error?.code, named: error?.faults });
    }
    expect(faults).toEqual([]);
  });
}
