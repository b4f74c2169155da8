import type { Fault } from '@market-state/errors';
import type { Logger } from '@market-state/logging';
import { controlFaults, lengthFaults, symbolFaults } from '@market-state/request-checks';
import type { Pool } from 'pg';
import type { WakeUpNotifier } from '../delivery/wake-ups';
import type { Secrets } from './secrets';
import type { TargetCheck } from './target-check';

/** Kinds of message that an endpoint can be sent, in the order in which they are shown. */
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

/** Kinds that are about one symbol. */
export const SYMBOL_KINDS: ReadonlySet<string> = new Set(['packet.created', 'state.changed', 'alert.triggered']);

/** A new endpoint gets tests alone; one that is disabled gets nothing. */
export type EndpointStatus = 'test_pending' | 'live' | 'disabled';

/** Why an endpoint is disabled. One whose URL was changed needs a test, and no more. */
export type DisabledReason = 'owner' | 'gone_410' | 'failing_120h' | 'url_changed';

/** Where messages of a tenant are sent. Times are milliseconds since the epoch. */
export interface Endpoint {
  readonly endpointId: string;
  readonly tenantId: string;
  readonly planId: string;
  readonly url: string;
  readonly description: string;
  readonly eventKinds: readonly string[];
  /** Empty: all. */
  readonly symbols: readonly string[];
  readonly status: EndpointStatus;
  readonly disabledReason: DisabledReason | '';
  /** Rises with every change of the URL. */
  readonly urlRevision: number;
  readonly lastSuccessMs: number | null;
  readonly failingSinceMs: number | null;
  readonly createdMs: number;
  readonly updatedMs: number;
}

/** A kind and a symbol; an empty symbol stands for all, and for kinds without one. */
export interface Topic {
  readonly eventKind: string;
  readonly symbol: string;
}

/** What the RPCs about endpoints and messages use. */
export interface EndpointDeps {
  readonly pool: Pool;
  readonly notifier: WakeUpNotifier;
  readonly secrets: Secrets;
  readonly targets: TargetCheck;
  readonly clock: () => number;
  readonly logger: Logger;
  /** Aborts when the process stops: what waits answers at once. */
  readonly stopping: AbortSignal;
}

const DESCRIPTION_LENGTH_MAX = 200;
const SYMBOLS_MAX = 20;

/** Kinds that an endpoint asks for. */
export function eventKindFaults(eventKinds: readonly string[], min: 0 | 1 = 1): Fault[] {
  const field = 'event_kinds';
  const known: readonly string[] = EVENT_KINDS;
  const faults: Fault[] = [];
  if (eventKinds.length < min) faults.push({ field, message: 'must name at least 1 kind', type: 'too_short' });
  if (eventKinds.some((kind) => !known.includes(kind))) faults.push({ field, message: 'must be kinds of message', type: 'unsupported' });
  return [...faults, ...repeatFaults(field, eventKinds)];
}

/** Symbols that an endpoint asks for; none asks for all. */
export function symbolListFaults(symbols: readonly string[]): Fault[] {
  const field = 'symbols';
  const many = symbols.length > SYMBOLS_MAX ? [{ field, message: `must be ${SYMBOLS_MAX} symbols or fewer`, type: 'too_long' }] : [];
  return [...many, ...repeatFaults(field, symbols), ...symbols.flatMap((symbol, index) => symbolFaults(symbol, `${field}[${index}]`))];
}

export function descriptionFaults(description: string): Fault[] {
  return [...lengthFaults('description', description, 0, DESCRIPTION_LENGTH_MAX), ...controlFaults('description', description)];
}

function repeatFaults(field: string, words: readonly string[]): Fault[] {
  return new Set(words).size === words.length ? [] : [{ field, message: 'must name none twice', type: 'duplicate' }];
}
