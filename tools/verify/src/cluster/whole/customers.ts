import { setTimeout as delay } from 'node:timers/promises';
import { withClient } from '@market-state/launcher';
import { waitUntil } from '@market-state/testing';
import { type Customer, customerAt, makeCustomer } from '../../harness';
import { SYMBOL, SYMBOLS } from '../scene';
import type { WholeScene } from './open-scene';

interface OrderedRule {
  readonly kind: string;
  readonly params: object;
}

const STATES = ['pressure_building', 'depth_watch', 'market_state_watch', 'flow_shift_watch', 'fragile_depth_watch'];
const CLASSES = [
  'visible_depth_pressure_without_trade_confirmation',
  'balanced_two_sided_context',
  'bid_depth_absorption_against_sell_flow',
  'trade_flow_leading_visible_book',
];
const TAGS = ['pressure:*', 'flow:*'];
const SEVERITIES = [0.3, 0.5];
const CHANGING = ['severity_score', 'queue_fragility_score', 'novelty_score', 'confidence_score'];

/**
 * The maximum for a watchlist, chosen so that one of them fires or recovers on most packets of the bundled recordings.
 */
const RULES: readonly OrderedRule[] = [
  { kind: 'state_changed', params: {} },
  ...STATES.map((state) => ({ kind: 'state_is', params: { states: [state] } })),
  ...CLASSES.map((eventClass) => ({ kind: 'event_class_is', params: { event_classes: [eventClass] } })),
  ...TAGS.map((tag) => ({ kind: 'tag_added', params: { tag } })),
  ...SEVERITIES.map((score) => ({ kind: 'severity_at_least', params: { score } })),
  ...CHANGING.map((score) => ({ kind: 'score_change', params: { score, by: 0.05, packets: 1, direction: 'either' } })),
];

const ENDPOINT = 'alerts';
const WAIT_MS_MAX = 60_000;
const AGAIN_MS = 500;
const ORDER_MS_MAX = 60_000;

interface Cursor {
  readonly sequence: number;
  readonly windowEndMs: number;
}

export interface Busy {
  readonly customer: Customer;
  /** Cursor of each symbol when the rules were created; every later packet is evaluated. */
  readonly from: ReadonlyMap<string, Cursor>;
}

export async function openBusy(scene: WholeScene): Promise<Busy> {
  const { system, url, receivers } = scene;
  const account = `127.0.0.1:${system.processes.portsOf('account').grpc}`;
  const customer = customerAt(url, await makeCustomer('a customer', account, system.rpc.identityOf('operator')));
  const reported = { kinds: ['alert.triggered'], symbols: SYMBOLS };
  await customer.register(receivers.urlOf(ENDPOINT), reported, (id, secret) => receivers.know(ENDPOINT, id, secret));
  const from = new Map<string, Cursor>();
  for (const symbol of SYMBOLS) from.set(symbol, await watch(scene, customer, symbol));
  return { customer, from };
}

/** @throws Error if a packet arrives while the rules are created, because their first packet is then unknown */
async function watch(scene: WholeScene, customer: Customer, symbol: string): Promise<Cursor> {
  const start = await cursorOf(scene, symbol);
  const before = await waitUntil(
    'an evaluated packet',
    async () => {
      const cursor = await cursorOf(scene, symbol);
      return cursor !== undefined && cursor.sequence !== start?.sequence && cursor;
    },
    WAIT_MS_MAX,
  );
  await customer.watch(symbol, RULES);
  if ((await cursorOf(scene, symbol))?.sequence !== before.sequence)
    throw new Error(`A packet of ${symbol} arrived while its rules were being created.`);
  return before;
}

export async function cursorOf({ system }: Pick<WholeScene, 'system'>, symbol: string): Promise<Cursor | undefined> {
  const { rows } = await withClient(system.stores.postgresUrl('webhook'), (client) =>
    client.query<Cursor>(
      'SELECT sequence::float8 AS sequence, window_end_ms::float8 AS "windowEndMs" FROM packet_cursor WHERE symbol = $1',
      [symbol],
    ),
  );
  return rows[0];
}

/**
 * Retries an order with the same name until it is accepted: a service may be down. @returns its id and the number of
 * refusals
 */
export async function orderUntilAccepted(customer: Customer, name: string): Promise<{ readonly id: string; readonly refused: number }> {
  const startedMs = performance.now();
  for (let refused = 0; ; refused += 1) {
    try {
      return { id: await customer.order(name, SYMBOL), refused };
    } catch (error) {
      if (performance.now() - startedMs > ORDER_MS_MAX) throw error;
      await delay(AGAIN_MS);
    }
  }
}
