import type { Schemas } from '@market-state/client';
import { useSession } from './session';

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
