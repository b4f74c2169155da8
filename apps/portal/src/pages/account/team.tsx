import { useRead, read, service } from '../../service/client';
import { Loaded, ProblemNotice } from '../../status-components/conditions';
import { Choice } from '../../controls/choice';
import { onForm } from '../../account/form';
import { Hidden, Table } from '../../controls/table';
import type { Params, Schemas } from '@market-state/client';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Field } from '../../account/field';
import { fieldFaults } from '../../account/field-errors';
import { MailSent } from '../../account/mailed-link';
import { type Role, ROLE_WORDS, ROLES, useRoleGap, leaveAfterLogout, SESSION_KEY } from '../../service/session';
import { FormDialog } from '../../controls/dialog';
import records from '../../controls/records.module.css';
import { PAGES } from '../../pages';
import { clockBelow, zoned } from '../../time/clock';
import styles from './account-page.module.css';

type Member = Schemas['Member'];

const TEAM = ['account', 'team'] as const;

/** Refetches the team, and the own role, after a change. */
function useTeamChange<Wish, Result>(send: (wish: Wish) => Promise<Result>, onDone?: () => void) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: send,
    async onSuccess() {
      onDone?.();
      await Promise.all([queries.invalidateQueries({ queryKey: ['account'] }), queries.invalidateQueries({ queryKey: SESSION_KEY })]);
    },
  });
}

/** Members and invitations of the team. Everybody sees the members; owners change them. */
export function Team() {
  const gap = useRoleGap('owner');
  const [leaving, setLeaving] = useState(false);
  const [removing, setRemoving] = useState<Member | null>(null);
  const members = useRead([...TEAM, 'members'], (options) => service.team.members(options));
  return (
    <section className={styles['panel']} aria-label="Team">
      <div className={styles['head']}>
        <h2>Team</h2>
        <button type="button" onClick={() => setLeaving(true)}>
          Leave the team
        </button>
      </div>
      {gap === undefined ? null : <p className={styles['soft']}>Only owners can invite people, change roles and remove members.</p>}
      <Loaded query={members} rows={2} label="Loading the team">
        {(answer) => <Members rows={answer.rows} isOwner={gap === undefined} onRemove={setRemoving} />}
      </Loaded>
      {gap === undefined ? (
        <>
          <Invitations />
          <Invite />
        </>
      ) : null}
      {removing === null ? null : <RemoveMember member={removing} onClose={() => setRemoving(null)} />}
      {leaving ? <Leave onClose={() => setLeaving(false)} /> : null}
    </section>
  );
}

interface MembersProps {
  readonly rows: readonly Member[];
  readonly isOwner: boolean;
  readonly onRemove: (member: Member) => void;
}

function Members({ rows, isOwner, onRemove }: MembersProps) {
  const change = useTeamChange((wish: Params<'updateMember'>) => read(service.team.updateMember(wish)));
  const removal = (member: Member) =>
    member.current ? null : (
      <button type="button" onClick={() => onRemove(member)} aria-label={`Remove ${member.email}`}>
        Remove
      </button>
    );
  return (
    <>
      <Table
        className={styles['members']}
        caption="Members, oldest first"
        rows={rows}
        keyOf={(member) => member.account_id}
        columns={[
          {
            head: 'Member',
            cell: ({ email, current }) => (
              <>
                {email} {current ? <span className={records['mark']}>you</span> : null}
              </>
            ),
          },
          {
            head: 'Role',
            cell: ({ account_id: accountId, email, role }) =>
              isOwner ? (
                <RoleSelect
                  label={`Role of ${email}`}
                  value={role}
                  isDisabled={change.isPending}
                  onChoose={(next) => change.mutate({ account_id: accountId, role: next })}
                />
              ) : (
                ROLE_WORDS[role]
              ),
          },
          { head: 'Two-factor', cell: ({ second_factor_enabled: isOn }) => (isOn ? 'on' : 'off') },
          {
            head: zoned('Last active'),
            cell: ({ last_active_utc: at }) => (at === null ? 'not logged in' : clockBelow(at, 'minute')),
          },
          { head: zoned('Joined'), cell: ({ joined_utc: at }) => clockBelow(at, 'minute') },
          ...(isOwner ? [{ head: <Hidden>Actions</Hidden>, cell: removal, className: records['acts'] }] : []),
        ]}
      />
      <ProblemNotice error={change.error} />
    </>
  );
}

interface RoleSelectProps {
  readonly label: string;
  readonly value: Role;
  readonly isDisabled: boolean;
  readonly onChoose: (role: Role) => void;
}

function RoleSelect({ label, value, isDisabled, onChoose }: RoleSelectProps) {
  return (
    <select aria-label={label} value={value} disabled={isDisabled} onChange={({ target }) => onChoose(target.value as Role)}>
      {ROLES.map((role) => (
        <option key={role} value={role}>
          {ROLE_WORDS[role]}
        </option>
      ))}
    </select>
  );
}

function Invitations() {
  const id = useId();
  const invitations = useRead([...TEAM, 'invitations'], (options) => service.team.invitations(options));
  const withdraw = useTeamChange((withdrawn: string) => read(service.team.withdrawInvitation({ invitation_id: withdrawn })));
  const error = invitations.error ?? withdraw.error;
  return (
    <>
      <ProblemNotice error={error} retry={() => void invitations.refetch()} />
      {invitations.data === undefined || invitations.data.rows.length === 0 ? null : (
        <>
          <h3 id={id}>Pending invitations</h3>
          <Table
            className={records['flush']}
            aria-labelledby={id}
            rows={invitations.data.rows}
            keyOf={({ invitation_id: invitationId }) => invitationId}
            columns={[
              { head: 'Email', cell: ({ email }) => email },
              { head: 'Role', cell: ({ role }) => ROLE_WORDS[role] },
              { head: 'Invited by', cell: ({ invited_by: by }) => by ?? 'an API key' },
              { head: zoned('Expires'), cell: ({ expires_utc: expires }) => clockBelow(expires, 'minute') },
              {
                head: <Hidden>Actions</Hidden>,
                cell: ({ invitation_id: invitationId, email }) => (
                  <button
                    type="button"
                    disabled={withdraw.isPending}
                    onClick={() => withdraw.mutate(invitationId)}
                    aria-label={`Withdraw the invitation of ${email}`}
                  >
                    Withdraw
                  </button>
                ),
                className: records['acts'],
              },
            ]}
          />
        </>
      )}
    </>
  );
}

const ROLE_HELP: Readonly<Record<Role, string>> = {
  read_only: 'sees everything except secrets',
  member: 'also uses keys, alerts, webhooks and exports',
  owner: 'also manages the team, spend controls and billing',
};

function Invite() {
  const form = useRef<HTMLFormElement>(null);
  const { mutate, isPending, error, data } = useTeamChange(
    (wish: Params<'createInvitation'>) => read(service.team.invite(wish)),
    () => form.current?.reset(),
  );
  return (
    <form
      ref={form}
      onSubmit={onForm((values) => mutate({ email: String(values.get('email')).trim(), role: values.get('role') as Role }))}
      className={styles['invite']}
      aria-label="Invite a colleague"
    >
      <Field
        label="Invite by email"
        name="email"
        type="email"
        autoComplete="off"
        required
        maxLength={254}
        fault={fieldFaults(error).get('email')}
      />
      <Choice
        className={styles['choice']}
        label="Role"
        name="role"
        defaultValue="read_only"
        options={ROLES.toReversed()}
        say={(role) => `${ROLE_WORDS[role]}: ${ROLE_HELP[role]}`}
      />
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={isPending}>
          Send invitation
        </button>
        <span className={styles['soft']} role="status">
          {data === undefined ? 'The link works once, for 7 days.' : <MailSent to={data.mail_delivery} email={data.invitation.email} />}
        </span>
      </p>
      <ProblemNotice error={error} fields={['email']} />
    </form>
  );
}

function RemoveMember({ member, onClose }: { readonly member: Member; readonly onClose: () => void }) {
  const sending = useTeamChange((accountId: string) => read(service.team.removeMember({ account_id: accountId })), onClose);
  return (
    <FormDialog
      title={`Remove ${member.email}`}
      onSubmit={() => sending.mutate(member.account_id)}
      sending={sending}
      action="Remove"
      onClose={onClose}
    >
      <p>Their account is deleted and their sessions end within a second. This can't be undone, but you can invite them again.</p>
      <p>
        API keys stay valid: revoke those that they know under <Link href={PAGES.keys.pattern}>API keys</Link>.
      </p>
    </FormDialog>
  );
}

function Leave({ onClose }: { readonly onClose: () => void }) {
  const sending = useMutation({ mutationFn: () => read(service.team.leave()), onSuccess: leaveAfterLogout });
  return (
    <FormDialog
      title="Leave the team"
      onSubmit={() => sending.mutate()}
      sending={sending}
      action="Leave"
      needs="read_only"
      onClose={onClose}
    >
      <p>Your account is deleted and you are logged out. This can't be undone. The team keeps its keys, alerts and credits.</p>
    </FormDialog>
  );
}
