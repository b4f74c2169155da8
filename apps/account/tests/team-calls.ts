import { account } from '@market-state/contracts';
import { type AccountUnderTest, startAccountUnderTest } from './account-under-test';
import { digestOf, MANY_CLAIMS, outcomeOf, password } from './login-calls';
import { mailTo } from './mails';

const { MemberRole } = account;
const SUBJECT = 'You are invited to a Market-State team';
const DAY_MS = 86_400_000;

/** Network address of every call. */
export const address = '203.0.113.1';

export interface Person {
  readonly email: string;
  readonly tenantId: string;
  readonly accountId: string;
  readonly session: Buffer;
}

function personOf(email: string, opened: account.SessionOpened | undefined): Person {
  return { email, session: digestOf(opened), accountId: opened?.grant?.accountId ?? '', tenantId: opened?.grant?.tenantId ?? '' };
}

/** Invitation token in a mail; empty if there is none. */
export const tokenIn = (text: string): string => /invitation_token=([\w-]{43})/.exec(text)?.[1] ?? '';

export const actingAs = ({ tenantId, session: credentialDigest }: Person) => ({ tenantId, credentialDigest, address });

/** Starts the service for a test file. Limits of one test do not reach the next. */
export function teamsUnderTest() {
  let service: AccountUnderTest;
  let people = 0;
  beforeAll(async () => {
    service = await startAccountUnderTest({ limits: MANY_CLAIMS });
  });
  afterAll(() => service.stop());
  beforeEach(() => {
    service.clock.aheadMs += 8 * DAY_MS;
  });

  const newEmail = (): string => `person-${(people += 1)}@example.org`;

  const invite = (by: Person, email: string, role = MemberRole.MEMBER) =>
    service.accounts.call.inviteMember({ ...actingAs(by), email, role });

  const tokenFor = async (email: string): Promise<string> => tokenIn((await mailTo(service.outbox, email, SUBJECT)).text);

  const accept = (invitationToken: string, as = password) =>
    service.accounts.call.acceptInvitation({ invitationToken, password: as, address });

  const grantOf = async ({ session: sessionDigest }: Person) => (await service.accounts.call.verifySession({ sessionDigest })).grant;

  return {
    get service() {
      return service;
    },
    newEmail,
    invite,
    tokenFor,
    accept,
    grantOf,
    /** Owner of a new trial. */
    async newOwner(): Promise<Person> {
      const email = newEmail();
      return personOf(email, (await service.accounts.call.claim({ email, password, apiKey: '', claimToken: '', address })).opened);
    },
    async newMember(by: Person, role = MemberRole.MEMBER): Promise<Person> {
      const email = newEmail();
      await invite(by, email, role);
      return personOf(email, (await accept(await tokenFor(email))).opened);
    },
    change: (by: Person, { accountId }: Person, role: account.MemberRole) =>
      outcomeOf(service.accounts.call.changeMemberRole({ ...actingAs(by), accountId, role })),
    remove: (by: Person, { accountId }: Person) => outcomeOf(service.accounts.call.removeMember({ ...actingAs(by), accountId })),
    leave: ({ session: sessionDigest }: Person) => outcomeOf(service.accounts.call.leaveTenant({ sessionDigest, address })),
    rolesIn: async ({ tenantId }: Person): Promise<account.MemberRole[]> =>
      (await service.accounts.call.listMembers({ tenantId })).members.map(({ role }) => role),
  };
}
