import type { ReactNode } from 'react';
import { Redirect } from 'wouter';
import { Outline } from '../conditions/outline';
import { ProblemNotice } from '../conditions/problem-notice';
import { loginAddress } from '../service/login-address';
import { isLoggedOut, useSession } from '../service/session';

/** Shows a page to whoever is logged in; others log in first and come back to the same address. */
export function SessionGate({ children }: { readonly children: ReactNode }) {
  const { data, hasExpired, error, refetch } = useSession({ isRequired: true });
  if (isLoggedOut(error) && !hasExpired) return <Redirect to={loginAddress(location.pathname + location.search)} replace />;
  // A page in use keeps its form when the session expires: its next call offers the login.
  if (data !== undefined || hasExpired) return children;
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return <Outline rows={8} />;
}
