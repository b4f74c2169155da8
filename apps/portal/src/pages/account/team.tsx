import type { Params, Schemas } from '@market-state/client';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { type FormEvent, useId, useRef, useState } from 'react';
import { Link } from 'wouter';
import { Field } from '../../account/field';
import { fieldFaults, isSaidAtFields } from '../../account/field-errors';
import { MailSent } from '../../account/mailed-link';
import { type Role, ROLE_WORDS, ROLES, useRoleGap } from '../../service/role';
import { DialogActions, Modal } from '../../controls/dialog';
import dialog from '../../controls/dialog.module.css';
import records from '../../controls/records.module.css';
import { PAGES } from '../../pages';
import { read, service } from '../../service/client';
import { leaveAfterLogout, SESSION_KEY } from '../../service/session';
import { Outline } from '../../status-components/placeholder';
import { ProblemNotice } from '../../status-components/problem-notice';
import { clockBelow, zoned } from '../../time/clock';
import styles from './account-page.module.css';

type Member = Schemas['Member'];
type Invitation = Schemas['Invitation'];

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
  const members = useQuery({ queryKey: [...TEAM, 'members'], queryFn: ({ signal }) => read(service.team.members({ signal })) });
  return (
    <section className={styles['panel']} aria-label="Team">
      <div className={styles['head']}>
        <h2>Team</h2>
        <button type="button" onClick={() => setLeaving(true)}>
          Leave the team
        </button>
      </div>
      {gap === undefined ? null : <p className={styles['soft']}>Only owners can invite people, change roles and remove members.</p>}
      {members.error === null ? null : <ProblemNotice error={members.error} retry={() => void members.refetch()} />}
      {members.isPending ? <Outline rows={2} label="Loading the team" /> : null}
      {members.data === undefined ? null : <Members rows={members.data.rows} isOwner={gap === undefined} onRemove={setRemoving} />}
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
  return (
    <>
      <table className={styles['members']}>
        <caption className="visually-hidden">Members, oldest first</caption>
        <thead>
          <tr>
            <th scope="col">Member</th>
            <th scope="col">Role</th>
            <th scope="col">Two-factor</th>
            <th scope="col">{zoned('Last active')}</th>
            <th scope="col">{zoned('Joined')}</th>
            {isOwner ? (
              <th scope="col">
                <span className="visually-hidden">Actions</span>
              </th>
            ) : null}
          </tr>
        </thead>
        <tbody>
          {rows.map((member) => (
            <tr key={member.account_id}>
              <th scope="row">
                {member.email} {member.current ? <span className={records['mark']}>you</span> : null}
              </th>
              <td data-column="Role">
                {isOwner ? (
                  <RoleSelect
                    label={`Role of ${member.email}`}
                    value={member.role}
                    isDisabled={change.isPending}
                    onChoose={(role) => change.mutate({ account_id: member.account_id, role })}
                  />
                ) : (
                  ROLE_WORDS[member.role]
                )}
              </td>
              <td data-column="Two-factor">{member.second_factor_enabled ? 'on' : 'off'}</td>
              <td data-column={zoned('Last active')}>
                {member.last_active_utc === null ? 'not logged in' : clockBelow(Date.parse(member.last_active_utc), 'minute')}
              </td>
              <td data-column={zoned('Joined')}>{clockBelow(Date.parse(member.joined_utc), 'minute')}</td>
              {isOwner ? (
                <td className={records['acts']}>
                  {member.current ? null : (
                    <button type="button" onClick={() => onRemove(member)} aria-label={`Remove ${member.email}`}>
                      Remove
                    </button>
                  )}
                </td>
              ) : null}
            </tr>
          ))}
        </tbody>
      </table>
      {change.error === null ? null : <ProblemNotice error={change.error} />}
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
  const invitations = useQuery({ queryKey: [...TEAM, 'invitations'], queryFn: ({ signal }) => read(service.team.invitations({ signal })) });
  const withdraw = useTeamChange((withdrawn: string) => read(service.team.withdrawInvitation({ invitation_id: withdrawn })));
  const error = invitations.error ?? withdraw.error;
  return (
    <>
      {error === null ? null : <ProblemNotice error={error} retry={() => void invitations.refetch()} />}
      {invitations.data === undefined || invitations.data.rows.length === 0 ? null : (
        <>
          <h3 id={id}>Pending invitations</h3>
          <table className={records['flush']} aria-labelledby={id}>
            <thead>
              <tr>
                <th scope="col">Email</th>
                <th scope="col">Role</th>
                <th scope="col">Invited by</th>
                <th scope="col">{zoned('Expires')}</th>
                <th scope="col">
                  <span className="visually-hidden">Actions</span>
                </th>
              </tr>
            </thead>
            <tbody>
              {invitations.data.rows.map(
                ({ invitation_id: invitationId, email, role, invited_by: by, expires_utc: expires }: Invitation) => (
                  <tr key={invitationId}>
                    <th scope="row">{email}</th>
                    <td data-column="Role">{ROLE_WORDS[role]}</td>
                    <td data-column="Invited by">{by ?? 'an API key'}</td>
                    <td data-column={zoned('Expires')}>{clockBelow(Date.parse(expires), 'minute')}</td>
                    <td className={records['acts']}>
                      <button
                        type="button"
                        disabled={withdraw.isPending}
                        onClick={() => withdraw.mutate(invitationId)}
                        aria-label={`Withdraw the invitation of ${email}`}
                      >
                        Withdraw
                      </button>
                    </td>
                  </tr>
                ),
              )}
            </tbody>
          </table>
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
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    const values = new FormData(submitted.currentTarget);
    mutate({ email: String(values.get('email')).trim(), role: values.get('role') as Role });
  };
  return (
    <form ref={form} onSubmit={submit} className={styles['invite']} aria-label="Invite a colleague">
      <Field
        label="Invite by email"
        name="email"
        type="email"
        autoComplete="off"
        required
        maxLength={254}
        fault={fieldFaults(error).get('email')}
      />
      <label className={styles['choice']}>
        Role
        <select name="role" defaultValue="read_only">
          {ROLES.toReversed().map((role) => (
            <option key={role} value={role}>
              {ROLE_WORDS[role]}: {ROLE_HELP[role]}
            </option>
          ))}
        </select>
      </label>
      <p className={styles['actions']}>
        <button type="submit" className={styles['go']} disabled={isPending}>
          Send invitation
        </button>
        <span className={styles['soft']} role="status">
          {data === undefined ? 'The link works once, for 7 days.' : <MailSent to={data.mail_delivery} email={data.invitation.email} />}
        </span>
      </p>
      {error === null || isSaidAtFields(error, ['email']) ? null : <ProblemNotice error={error} />}
    </form>
  );
}

interface RemoveMemberProps {
  readonly member: Member;
  readonly onClose: () => void;
}

function RemoveMember({ member, onClose }: RemoveMemberProps) {
  const { mutate, isPending, error } = useTeamChange(
    (accountId: string) => read(service.team.removeMember({ account_id: accountId })),
    onClose,
  );
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate(member.account_id);
  };
  return (
    <Modal title={`Remove ${member.email}`} onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>Their account is deleted and their sessions end within a second. This can't be undone, but you can invite them again.</p>
        <p>
          API keys stay valid: revoke those that they know under <Link href={PAGES.keys.pattern}>API keys</Link>.
        </p>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Remove" isDisabled={isPending} onClose={onClose} />
      </form>
    </Modal>
  );
}

function Leave({ onClose }: { readonly onClose: () => void }) {
  const { mutate, isPending, error } = useMutation({ mutationFn: () => read(service.team.leave()), onSuccess: leaveAfterLogout });
  const submit = (submitted: FormEvent<HTMLFormElement>): void => {
    submitted.preventDefault();
    mutate();
  };
  return (
    <Modal title="Leave the team" onClose={onClose}>
      <form onSubmit={submit} className={dialog['form']}>
        <p>Your account is deleted and you are logged out. This can't be undone. The team keeps its keys, alerts and credits.</p>
        {error === null ? null : <ProblemNotice error={error} />}
        <DialogActions action="Leave" needs="read_only" isDisabled={isPending} onClose={onClose} />
      </form>
    </Modal>
  );
}
