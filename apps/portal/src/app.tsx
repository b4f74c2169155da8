import { QueryCache, QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense, useState, type ReactNode } from 'react';
import { Route, Switch } from 'wouter';
import { Outline, ProblemNotice } from './status-components/conditions';
import { type Role, useRoleGap, followOtherTabs, isLoggedOut, SESSION_KEY, useSession } from './service/session';
import { type Page, PAGES, type PageName } from './pages';
import { PageFailure, PageNotLoaded, Shell } from './shell/shell';
import { browserAlerts } from './service/stored-choice';
import { SAMPLED } from './service/sampled';
import { useZone } from './time/zone';

const RoleNotice = lazy(() => import('./shell/on-demand').then(({ RoleNotice: each }) => ({ default: each })));

const SampleView = lazy(() => import('./shell/on-demand').then(({ SampleView: each }) => ({ default: each })));

/** Nothing of a sample stays in the cache of the session. */
function OwnQueries({ children }: { readonly children: ReactNode }) {
  const [own] = useState(() => new QueryClient({ defaultOptions: { queries: { ...queries.getDefaultOptions().queries, meta: SAMPLED } } }));
  return <QueryClientProvider client={own}>{children}</QueryClientProvider>;
}

function SessionGate({ name, children }: { readonly name: PageName; readonly children: ReactNode }) {
  const { data, hasExpired, error, refetch } = useSession({ isRequired: true });
  if (isLoggedOut(error) && !hasExpired)
    return (
      <Suspense fallback={<Outline rows={8} />}>
        <SampleView key={name} name={name}>
          <OwnQueries>{children}</OwnQueries>
        </SampleView>
      </Suspense>
    );
  // A page in use keeps its form when the session expires; its next call offers the login.
  if (data !== undefined || hasExpired) return children;
  if (error !== null) return <ProblemNotice error={error} retry={() => void refetch()} />;
  return <Outline rows={8} />;
}

const queries = new QueryClient({
  // Any call refused for lack of a session rereads it, so that the whole page shows one state.
  queryCache: new QueryCache({
    onError: (error, { queryKey }) => {
      if (isLoggedOut(error) && queryKey[0] !== SESSION_KEY[0]) void queries.invalidateQueries({ queryKey: SESSION_KEY });
    },
  }),
  // The SDK retries on its own, and the page shows the age of its data.
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false } },
});
followOtherTabs(queries);

function view(load: () => Promise<{ readonly default: ComponentType }>): ComponentType {
  return lazy(() =>
    load().catch((cause: unknown) => {
      throw new PageNotLoaded(cause);
    }),
  );
}

const VIEWS: Readonly<Record<PageName, ComponentType>> = {
  home: view(() => import('./pages/home/home-page')),
  live: view(() => import('./pages/live/live-page')),
  symbol: view(() => import('./pages/symbol/symbol-page')),
  packet: view(() => import('./pages/packet/packet-page')),
  replay: view(() => import('./pages/replay/replay-page')),
  search: view(() => import('./pages/search/search-page')),
  stability: view(() => import('./pages/stability/stability-page')),
  lab: view(() => import('./pages/lab/lab-page')),
  keys: view(() => import('./pages/keys/keys-page')),
  alerts: view(() => import('./pages/alerts/alerts-page')),
  webhooks: view(() => import('./pages/webhooks/webhooks-page')),
  exports: view(() => import('./pages/exports/exports-page')),
  usage: view(() => import('./pages/usage/usage-page')),
  billing: view(() => import('./pages/billing/billing-page')),
  unsubscribe: view(() => import('./pages/unsubscribe/unsubscribe-page')),
  account: view(() => import('./pages/account/account-page')),
  console: view(() => import('./pages/console/console-page')),
  status: view(() => import('./pages/status/status-page')),
  verify: view(() => import('./pages/verify/verify-page')),
  how: view(() => import('./pages/how/how-page')),
  proof: view(() => import('./pages/proof/proof-page')),
  share: view(() => import('./pages/share/share-page')),
  login: view(() => import('./pages/login/login-page')),
  claim: view(() => import('./pages/claim/claim-page')),
  reset: view(() => import('./pages/reset/reset-page')),
  join: view(() => import('./pages/join/join-page')),
};

const BrowserAlerts = view(() => import('./pages/webhooks/webhooks-page').then((page) => ({ default: page.BrowserAlerts })));

const NotFoundView = view(() => import('./pages/not-found/not-found-page'));

export function App() {
  // Re-renders all times below in the chosen zone without losing state.
  useZone();
  const hasBrowserAlerts = browserAlerts.use() === 'on';
  return (
    <QueryClientProvider client={queries}>
      {hasBrowserAlerts ? (
        <Suspense fallback={null}>
          <BrowserAlerts />
        </Suspense>
      ) : null}
      <Shell>
        <Switch>
          {(Object.keys(VIEWS) as PageName[]).map((name) => (
            <Route key={name} path={PAGES[name].pattern}>
              <OnePage name={name} />
            </Route>
          ))}
          <Route>
            <Framed view={NotFoundView} />
          </Route>
        </Switch>
      </Shell>
    </QueryClientProvider>
  );
}

function OnePage({ name }: { readonly name: PageName }) {
  const page: Page = PAGES[name];
  const shown = page.changes === undefined ? <Framed view={VIEWS[name]} /> : <ChangingPage name={name} needed={page.changes} />;
  return 'isOpen' in PAGES[name] ? shown : <SessionGate name={name}>{shown}</SessionGate>;
}

/** Says what the session's role lacks. Pages for owners show others nothing else. */
function ChangingPage({ name, needed }: { readonly name: PageName; readonly needed: Role }) {
  const gap = useRoleGap(needed);
  const shown = <Framed view={VIEWS[name]} />;
  if (gap === undefined) return shown;
  return (
    <Suspense fallback={<Outline rows={8} />}>
      <RoleNotice title={PAGES[name].title} gap={gap}>
        {needed === 'owner' ? undefined : shown}
      </RoleNotice>
    </Suspense>
  );
}

function Framed({ view: View }: { readonly view: ComponentType }) {
  return (
    <PageFailure>
      <Suspense fallback={<Outline rows={8} />}>
        <View />
      </Suspense>
    </PageFailure>
  );
}
