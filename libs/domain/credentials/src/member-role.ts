/** Each role may do what the ones after it may. */
export const MEMBER_ROLES = ['owner', 'member', 'read_only'] as const;

export type MemberRole = (typeof MEMBER_ROLES)[number];

export function includesRole(held: MemberRole, needed: MemberRole): boolean {
  return MEMBER_ROLES.indexOf(held) <= MEMBER_ROLES.indexOf(needed);
}
