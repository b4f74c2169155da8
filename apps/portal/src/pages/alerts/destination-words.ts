import type { Endpoint } from '../../service/use-endpoints';

export interface Destination {
  readonly words: string;
  readonly isNowhere: boolean;
}

const SERVICES: Readonly<Partial<Record<Endpoint['kind'], string>>> = {
  slack: 'Slack',
  discord: 'Discord',
  telegram: 'Telegram',
  pagerduty: 'PagerDuty',
};

const nameOf = ({ kind, url, email }: Pick<Endpoint, 'kind' | 'url' | 'email'>): string => email ?? SERVICES[kind] ?? new URL(url).host;

export function destinationWords(
  endpoints: readonly Pick<Endpoint, 'kind' | 'url' | 'email' | 'status' | 'event_kinds' | 'symbols'>[],
  symbols: readonly string[],
): Destination {
  const matching = endpoints.filter(
    ({ event_kinds: kinds, symbols: wanted }) =>
      kinds.includes('alert.triggered') && (wanted.length === 0 || symbols.some((symbol) => wanted.includes(symbol))),
  );
  const live = matching.filter(({ status }) => status === 'live');
  if (live.length > 0) return { words: `Sent to ${live.map(nameOf).join(', ')}.`, isNowhere: false };
  const inactive = matching.map((endpoint) => `${nameOf(endpoint)} is ${endpoint.status === 'test_pending' ? 'unverified' : 'disabled'}`);
  const reason = inactive.length > 0 ? inactive.join(', ') : 'no destination receives alert.triggered for this symbol';
  return { words: `Not sent anywhere: ${reason}.`, isNowhere: true };
}
