import { promises as dns } from 'node:dns';
import { isIPv4 } from 'node:net';
import { beforeDeadline } from '@market-state/lifecycle';
import { isGloballyRoutable } from './addresses/is-globally-routable';
import { isWithin, parseAddress } from './addresses/ranges';
import { type TestTarget, testTargetOf } from './test-targets';

const TRIES = 2;

/** Asks the DNS for the addresses of a name, aliases followed; rejects where there are none. `dns.promises.Resolver` is one. */
export interface AddressResolver {
  resolve4(host: string): Promise<readonly string[]>;
  resolve6(host: string): Promise<readonly string[]>;
}

/** An address that may be dialled. */
export interface VettedAddress {
  readonly address: string;
  readonly family: 4 | 6;
}

/** `dns`: no address, or none in time; `guard`: an address that no webhook is sent to. `message` is a sentence for the customer. */
export type ResolvedTarget =
  | { readonly ok: true; readonly addresses: readonly VettedAddress[]; readonly testTarget: boolean }
  | { readonly ok: false; readonly class: 'dns' | 'guard'; readonly reason: string; readonly message: string };

export interface ResolveOptions {
  readonly resolver: AddressResolver;
  readonly targets: readonly TestTarget[];
  /** How long the DNS may take. */
  readonly timeoutMs: number;
}

/** The system's DNS servers, without the hosts file. Each query ends by itself within `timeoutMs`. */
export function createResolver(timeoutMs: number): AddressResolver {
  return new dns.Resolver({ timeout: timeoutMs / TRIES, tries: TRIES });
}

/**
 * The addresses of a checked URL's host, all of them vetted: when any one is not globally routable, none may be dialled. Of a test
 * target, whose name the operating system resolves, those in its range. Never rejects.
 */
export async function resolveTarget(url: URL, { resolver, targets, timeoutMs }: ResolveOptions): Promise<ResolvedTarget> {
  const target = testTargetOf(url, targets);
  if (target !== undefined) return resolveTestTarget(target, timeoutMs);
  const answers = await Promise.allSettled([
    beforeDeadline(timeoutMs, resolver.resolve4(url.hostname)),
    beforeDeadline(timeoutMs, resolver.resolve6(url.hostname)),
  ]);
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
  if (addresses.length === 0) return noAddress();
  return addresses.every(isGloballyRoutable) ? vetted(addresses, false) : notPublic();
}

async function resolveTestTarget({ host, range }: TestTarget, timeoutMs: number): Promise<ResolvedTarget> {
  const found = await beforeDeadline(timeoutMs, dns.lookup(host, { all: true })).catch(() => []);
  if (found.length === 0) return noAddress();
  const inRange = found.filter(({ address }) => {
    const parsed = parseAddress(address);
    return parsed !== null && isWithin(parsed, range);
  });
  const addresses = inRange.map(({ address }) => address);
  return addresses.length === 0 ? notPublic() : vetted(addresses, true);
}

function vetted(addresses: readonly string[], testTarget: boolean): ResolvedTarget {
  return { ok: true, addresses: addresses.map((address) => ({ address, family: isIPv4(address) ? 4 : 6 })), testTarget };
}

function noAddress(): ResolvedTarget {
  return { ok: false, class: 'dns', reason: 'no_address', message: 'The host has no address in the DNS.' };
}

function notPublic(): ResolvedTarget {
  return {
    ok: false,
    class: 'guard',
    reason: 'address_not_public',
    message: 'The host has an address that is not on the public internet.',
  };
}
