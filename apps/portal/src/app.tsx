import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { type ComponentType, lazy, Suspense } from 'react';
import { Redirect, Route, Switch } from 'wouter';
import { Outline } from './conditions/outline';
import { PAGES, type PageName } from './pages';
import { PageFailure } from './shell/page-failure';
import { SessionGate } from './shell/session-gate';
import { Shell } from './shell/shell';
import { useZone } from './time/zone';

const queries = new QueryClient({
  // The SDK tries again by itself, and what is shown says how old it is.
  defaultOptions: { queries: { retry: false, refetchOnWindowFocus: false, refetchOnReconnect: false } },
});

/** Each page in a file of its own, loaded when it is opened. */
const VIEWS: Readonly<Record<PageName, ComponentType>> = {
  home: lazy(() => import('./pages/home/home-page')),
  live: lazy(() => import('./pages/live/live-page')),
  symbol: lazy(() => import('./pages/symbol/symbol-page')),
  packet: lazy(() => import('./pages/packet/packet-page')),
  replay: lazy(() => import('./pages/replay/replay-page')),
  search: lazy(() => import('./pages/search/search-page')),
  stability: lazy(() => import('./pages/stability/stability-page')),
  keys: lazy(() => import('./pages/keys/keys-page')),
  alerts: lazy(() => import('./pages/alerts/alerts-page')),
  webhooks: lazy(() => import('./pages/webhooks/webhooks-page')),
  exports: lazy(() => import('./pages/exports/exports-page')),
  usage: lazy(() => import('./pages/usage/usage-page')),
  billing: lazy(() => import('./pages/billing/billing-page')),
  status: lazy(() => import('./pages/status/status-page')),
  how: lazy(() => import('./pages/how/how-page')),
  proof: lazy(() => import('./pages/proof/proof-page')),
  login: lazy(() => import('./pages/login/login-page')),
  claim: lazy(() => import('./pages/claim/claim-page')),
  reset: lazy(() => import('./pages/reset/reset-page')),
};

export function App() {
  // Whatever says a time below is drawn again in the zone that is chosen, and keeps its state.
  useZone();
  return (
    <QueryClientProvider client={queries}>
      <Shell>
        <Switch>
          {(Object.keys(VIEWS) as PageName[]).map((name) => (
            <Route key={name} path={PAGES[name].pattern}>
              <OnePage name={name} />
            </Route>
          ))}
          <Route>
            <Redirect to={PAGES.live.pattern} replace />
          </Route>
        </Switch>
      </Shell>
    </QueryClientProvider>
  );
}

function OnePage({ name }: { readonly name: PageName }) {
  const View = VIEWS[name];
  const view = (
    <PageFailure>
      <Suspense fallback={<Outline rows={8} />}>
        <View />
      </Suspense>
    </PageFailure>
  );
  return 'isOpen' in PAGES[name] ? view : <SessionGate>{view}</SessionGate>;
}
