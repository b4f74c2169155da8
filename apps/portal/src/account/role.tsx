import type { Schemas } from '@market-state/client';
import sheet from '../theme/sheet.module.css';
import { useSession } from '../service/session';
import { Empty } from '../status-components/placeholder';

export type Role = Schemas['MemberRole'];

/** Each may do what the ones after it may. */
export const ROLES: readonly Role[] = ['owner', 'member', 'read_only'];

export const ROLE_WORDS: Readonly<Record<Role, string>> = { owner: 'owner', member: 'member', read_only: 'read-only' };

/** Why a change is off; undefined if the session's account has the role or is not known yet. */
export function useRoleGap(needed: Role): string | undefined {
  const held = useSession().data?.account?.role;
  if (held === undefined || ROLES.indexOf(held) <= ROLES.indexOf(needed)) return undefined;
  return `Your role is ${ROLE_WORDS[held]}: only ${needed === 'owner' ? 'owners' : 'members and owners'} of your team can do this.`;
}

/** Above a page with changes that the session's role does not allow. */
export function RoleNotice({ needed }: { readonly needed: Role }) {
  const gap = useRoleGap(needed);
  if (gap === undefined) return null;
  return (
    <p className={sheet['note']} role="note">
      You can look at everything on this page, but not change it. {gap}
    </p>
  );
}

/** In place of a page that only owners may see. */
export function OwnersOnly({ title, gap }: { readonly title: string; readonly gap: string }) {
  return (
    <>
      <div className={sheet['bar']}>
        <h1>{title}</h1>
      </div>
      <Empty why={`${title} is for owners.`}>{gap}</Empty>
    </>
  );
}
