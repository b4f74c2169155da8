import { isWithin, parseAddress, parseRange, type Range } from './addresses/ranges';

const LOOPBACK = ['127.0.0.0/8', '::1/128'].map(parseRange);
const ENTRY = /^([a-z0-9-]+(?:\.[a-z0-9-]+)*):(\*|\d{1,5})=(\S+)$/;

/** A host of this machine that webhooks may be sent to all the same, for tests and the demo. */
export interface TestTarget {
  readonly host: string;
  /** null: any port. */
  readonly port: number | null;
  /** The loopback range that the host's addresses must be in. */
  readonly range: Range;
}

/**
 * Test targets from `<host>:<port or *>=<range>[,…]`, the form of `WEBHOOK_TEST_TARGETS`; an empty text lists none. A range lies within
 * `127.0.0.0/8` or is `::1/128`. Every fault is named.
 */
export function parseTestTargets(text: string): { readonly targets: readonly TestTarget[]; readonly faults: readonly string[] } {
  const faults: string[] = [];
  const targets: TestTarget[] = [];
  const entries = text.split(',').map((entry) => entry.trim());
  for (const entry of entries.filter((one) => one !== '')) {
    const [, host = '', port = '', rangeText = ''] = ENTRY.exec(entry) ?? [];
    const range = parseRange(rangeText);
    if (host === '') faults.push(`${entry} is not <host>:<port or *>=<range>`);
    else if (parseAddress(host) !== null) faults.push(`${host} is an address, not a host name`);
    else if (port !== '*' && (Number(port) < 1 || Number(port) > 65_535)) faults.push(`${port} is not a port, 1..65535`);
    else if (range === null || !isLoopback(range)) faults.push(`${rangeText} is not a range of loopback addresses`);
    else targets.push({ host, port: port === '*' ? null : Number(port), range });
  }
  return { targets, faults };
}

/** What is wrong with `WEBHOOK_TEST_TARGETS` in an environment: its own faults, and that it is set where `NODE_ENV` is `production`. */
export function faultsOfTestTargets(text: string, nodeEnv: string): readonly string[] {
  const { faults } = parseTestTargets(text);
  return nodeEnv === 'production' && text.trim() !== '' ? ['must not be set in production', ...faults] : faults;
}

/** The listed target that a URL leads to, or undefined. */
export function testTargetOf(url: URL, targets: readonly TestTarget[]): TestTarget | undefined {
  const port = url.port === '' ? 443 : Number(url.port);
  return targets.find((target) => target.host === url.hostname && (target.port === null || target.port === port));
}

function isLoopback(range: Range): boolean {
  const first = { family: range.family, value: range.prefix << range.shift };
  return LOOPBACK.some((loopback) => loopback !== null && range.shift <= loopback.shift && isWithin(first, loopback));
}
