import { includesRole, MEMBER_ROLES, type MemberRole } from '@market-state/credentials';
import { SESSION_COOKIE } from '../src/serving/auth/authorise';
import { type Operation, operations } from '../src/serving/openapi/operations';
import { type BootedGateway, bootGateway, lastWindowEndMs } from './stand-in/boot';
import { answersWithEvents, goodRequest, seedGoodRequests, seedPackets } from './stand-in/good-requests';
import { SEEDED_PASSWORD } from './stand-in/account-state';
import { INVITATION_TOKEN } from './stand-in/account-team';

const ACCOUNT = '/api/public/market-state/account';
const PAGE = { 'content-type': 'application/json', 'sec-fetch-site': 'same-origin' };

const OWNERS_ONLY = [
  'updateMember',
  'removeMember',
  'listInvitations',
  'createInvitation',
  'withdrawInvitation',
  'setSpendControls',
  'openBillingPortal',
  'createCheckoutSession',
  'listInvoices',
  'listOrders',
];

/** Changes of the own account or session, and computations that change nothing. */
const CHANGES_FOR_ALL = [
  'logOut',
  'endSession',
  'leaveTeam',
  'requestEmailChange',
  'confirmEmailChange',
  'beginSecondFactor',
  'confirmSecondFactor',
  'disableSecondFactor',
  'createRecoveryCodes',
  'rehearseAlerts',
  'rehearseWatchlist',
];

/** Reads that show what others of the team did. */
const READS_FOR_MEMBERS = ['listAuditLog'];

function neededRole({ method, operationId }: Operation): MemberRole {
  if (OWNERS_ONLY.includes(operationId)) return 'owner';
  if (READS_FOR_MEMBERS.includes(operationId)) return 'member';
  return method === 'get' || CHANGES_FOR_ALL.includes(operationId) ? 'read_only' : 'member';
}

const WINDOW_END_MS = lastWindowEndMs();
const EACH = operations.filter(({ credential }) => credential === 'key_or_session');

describe('roles of sessions', () => {
  let booted: BootedGateway;
  beforeAll(async () => {
    booted = await bootGateway();
    seedPackets(booted.labeling, WINDOW_END_MS);
  });
  afterAll(() => booted.close());

  it.each(EACH.flatMap((operation) => MEMBER_ROLES.map((role) => [operation.operationId, role, operation] as const)))(
    '%s by the role %s',
    async (_id, role, operation) => {
      seedGoodRequests(booted.account);
      const cookie = `${SESSION_COOKIE}=${booted.account.openSessionAs(role)}`;
      const { path, ...request } = goodRequest(operation, WINDOW_END_MS);
      const method = answersWithEvents(operation) ? 'HEAD' : request.method;
      const answer = await booted.get(path, { ...request, method, headers: { ...request.headers, cookie } });
      const needed = neededRole(operation);
      if (includesRole(role, needed)) {
        // A session that the request names, or a code that it has, is another account's.
        expect(answer.status).not.toBe(403);
        expect(answer.status).toBeLessThan(500);
      } else {
        expect(answer.status).toBe(403);
        expect(answer.json()).toMatchObject({ code: 'insufficient_role', role: needed, detail: expect.stringContaining(needed) as string });
      }
    },
  );

  const send = (method: string, path: string, headers: Readonly<Record<string, string>>, body?: object) =>
    booted.get(ACCOUNT + path, { method, body: body === undefined ? undefined : JSON.stringify(body), headers: { ...PAGE, ...headers } });

  it('shows a session its role, and a key none', async () => {
    const cookie = `${SESSION_COOKIE}=${booted.account.openSessionAs('read_only')}`;
    expect((await send('GET', '/me', { cookie })).json()).toMatchObject({ account: { role: 'read_only' } });
    const members = await send('GET', '/members', { cookie });
    expect(members.json<{ rows: object[] }>().rows).toContainEqual(expect.objectContaining({ role: 'read_only', current: true }));
    expect((await booted.keyed(`${ACCOUNT}/me`)).json()).toMatchObject({ account: null });
  });

  it('opens a session for an accepted invitation and ends it for an account that leaves', async () => {
    const accepted = await send('POST', '/auth/invitation/accept', {}, { invitation_token: INVITATION_TOKEN, password: SEEDED_PASSWORD });
    const [cookie = ''] = [accepted.headers['set-cookie']].flat().map((each) => String(each).split(';')[0] ?? '');
    expect((await send('GET', '/me', { cookie })).json()).toMatchObject({ account: { role: 'member' } });
    const left = await send('POST', '/leave', { cookie });
    expect([left.status, [left.headers['set-cookie']].flat()[0]]).toEqual([200, expect.stringContaining('Max-Age=0')]);
    expect((await send('GET', '/me', { cookie })).status).toBe(401);
  });

  it('refuses a spent invitation token, an unknown role, an unknown member and an unknown invitation', async () => {
    const cookie = `${SESSION_COOKIE}=${booted.account.openSessionAs('owner')}`;
    const spent = await send('POST', '/auth/invitation/accept', {}, { invitation_token: 'x'.repeat(43), password: SEEDED_PASSWORD });
    expect(spent.json()).toMatchObject({ status: 401, code: 'invitation_refused' });
    const role = await send('POST', '/invitations', { cookie }, { email: 'a@example.com', role: 'admin' });
    expect(role.json()).toMatchObject({ detail: [{ loc: ['body', 'role'] }] });
    expect((await send('DELETE', '/members/acc_none', { cookie })).status).toBe(404);
    expect((await send('DELETE', '/invitations/ivt_none', { cookie })).status).toBe(404);
  });
});
