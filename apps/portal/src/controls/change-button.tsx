import type { ComponentProps } from 'react';
import { type Role, useRoleGap } from '../service/role';

type Props = Omit<ComponentProps<'button'>, 'title'> & {
  /** Role that a session's account needs. */
  readonly needs?: Role;
};

/** A button that changes something; off, with the reason as its title, if the session's role doesn't allow it. */
export function ChangeButton({ needs = 'member', type = 'button', disabled = false, ...attributes }: Props) {
  const gap = useRoleGap(needs);
  return <button {...attributes} type={type} disabled={disabled || gap !== undefined} title={gap} />;
}
