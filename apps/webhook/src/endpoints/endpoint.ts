import type { Fault } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { controlFaults, lengthFaults, symbolFaults } from '@market-state/request-checks';
import type { SealingKey } from '@market-state/webhook-signing';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from '../delivery/wake-ups';
import type { EndpointKind, TargetCheck } from './destination';
import type { Secrets } from './secrets';

/** In display order. */
const EVENT_KINDS = [
  'packet.created',
  'state.changed',
  'alert.triggered',
  'export.finished',
  'usage.threshold_reached',
  'endpoint.disabled',
  'message.exhausted',
  'webhook.test',
] as const;

export const SYMBOL_KINDS: ReadonlySet<string> = new Set(['packet.created', 'state.changed', 'alert.triggered']);

/** A new endpoint receives only tests; a disabled one receives nothing. */
export type EndpointStatus = 'test_pending' | 'live' | 'disabled';

/**
 * After a change of address only a test is needed. `destination_refused`: the service reported that the hook, chat, key
 * or mailbox no longer exists or refuses messages. `unsubscribed`: the recipient of an email did.
 */
export type DisabledReason = 'owner' | 'gone_410' | 'failing_120h' | 'url_changed' | 'destination_refused' | 'unsubscribed';

export interface Endpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly planId: string;
  readonly kind: EndpointKind;
  /** Without the secret part of an address. */
  readonly url: string;
  readonly chatId: string;
  /** Messages are collected for this long; 0: each is sent immediately. */
  readonly digestMinutes: number;
  /** Time at which the recipient of an email confirmed it. */
  readonly confirmedMs: number | null;
  readonly description: string;
  readonly eventKinds: readonly string[];
  readonly symbols: readonly string[];
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | '';
  /** Incremented with every change of the URL. */
  readonly urlRevision: number;
  readonly lastSuccessMs: number | null;
  readonly failingSinceMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** An empty symbol means all symbols, and is used for kinds without one. */
export interface Topic {
  readonly eventKind: string;
  readonly symbol: string;
}

export interface EndpointDeps {
  readonly pool: Pool;
  readonly notifier: WakeUpNotifier;
  readonly secrets: Secrets;
  readonly targets: TargetCheck;
  /** The first key signs; all of them verify. */
  readonly sealingKeys: readonly SealingKey[];
  readonly clock: () => number;
  readonly logger: Logger;
  /** Aborts when the process stops; long polls then return immediately. */
  readonly stopping: AbortSignal;
}

const DESCRIPTION_LENGTH_MAX = 200;
const SYMBOLS_MAX = 20;

export function eventKindFaults(eventKinds: readonly string[], min: 0 | 1 = 1): Fault[] {
  const field = 'event_kinds';
  const known: readonly string[] = EVENT_KINDS;
  const faults: Fault[] = [];
  if (eventKinds.length < min) faults.push({ field, message: 'must name at least 1 kind', type: 'too_short' });
  if (eventKinds.some((kind) => !known.includes(kind))) faults.push({ field, message: 'must be message kinds', type: 'unsupported' });
  return [...faults, ...repeatFaults(field, eventKinds)];
}

export function symbolListFaults(symbols: readonly string[]): Fault[] {
  const field = 'symbols';
  const many = symbols.length > SYMBOLS_MAX ? [{ field, message: `must be at most ${SYMBOLS_MAX} symbols`, type: 'too_long' }] : [];
  return [...many, ...repeatFaults(field, symbols), ...symbols.flatMap((symbol, index) => symbolFaults(symbol, `${field}[${index}]`))];
}

export function descriptionFaults(description: string): Fault[] {
  return [...lengthFaults('description', description, 0, DESCRIPTION_LENGTH_MAX), ...controlFaults('description', description)];
}

function repeatFaults(field: string, words: readonly string[]): Fault[] {
  return new Set(words).size === words.length ? [] : [{ field, message: 'must not repeat a symbol', type: 'duplicate' }];
}
