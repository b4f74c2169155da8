import type { Schemas } from '@market-state/client';
import sheet from '../theme/sheet.module.css';
import { useSession } from '../service/session';

export type Role = Schemas['MemberRole'];

/** Each may do what the ones after it may. */
export const ROLES: readonly Role[] = ['owner', 'member', 'read_only'];

export const ROLE_WORDS: Readonly<Record<Role, string>> = { owner: 'owner', member: 'member', read_only: 'read-only' };

/** What a role lacks, undefined if the session's account has it or is not known yet. */
export function useRoleGap(needed: Role): string | undefined {
  const held = useSession().data?.account?.role;
  if (held === undefined || ROLES.indexOf(held) <= ROLES.indexOf(needed)) return undefined;
  const who = needed === 'owner' ? 'Only an owner of your team' : 'Only a member or an owner of your team';
  return `${who} can do this; your role is ${ROLE_WORDS[held]}.`;
}

/** Says above a page why its changes are off. */
export function RoleNotice({ needed }: { readonly needed: Role }) {
  const gap = useRoleGap(needed);
  if (gap === undefined) return null;
  return (
    <p className={sheet['note']} role="note">
      {needed === 'owner' ? gap : `You can look at everything on this page and change nothing. ${gap}`}
    </p>
  );
}
