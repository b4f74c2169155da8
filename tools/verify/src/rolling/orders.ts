import { setTimeout as delay } from 'node:timers/promises';
import { type Customer, customerAt, makeCustomer } from '../harness';
import { RECORDED } from '../standby/scene';
import type { RollingScene } from './scene';

const ENDPOINT = 'rolling';
/** Between two orders of exports. */
const ORDER_EVERY_MS = 10_000;

/** A customer who orders exports all the time, and whose server is told of every packet of a symbol. */
export interface Orders {
  readonly customer: Customer;
  /** Ids of the exports ordered. */
  readonly ordered: readonly string[];
  /** Of calls that failed, a sentence each. */
  readonly failed: readonly string[];
  stop(): Promise<void>;
}

export async function beginOrders({ url, account, rpc, receivers }: RollingScene): Promise<Orders> {
  const customer = customerAt(url, await makeCustomer('a customer', account, rpc.identityOf('operator')));
  const told = { kinds: ['packet.created'], symbols: [RECORDED] };
  await customer.register(receivers.urlOf(ENDPOINT), told, (id, secret) => receivers.know(ENDPOINT, id, secret));
  receivers.setDeed(ENDPOINT, 'ok');
  const [ordered, failed]: [string[], string[]] = [[], []];
  const ended = new AbortController();
  async function orderOn(): Promise<void> {
    for (let number = 1; !ended.signal.aborted; number += 1) {
      await customer.order(`rolling-${number}`, RECORDED).then(
        (id) => ordered.push(id),
        (error: Error) => failed.push(error.message),
      );
      await delay(ORDER_EVERY_MS, undefined, { signal: ended.signal }).catch(() => undefined);
    }
  }
  const ordering = orderOn();
  return {
    customer,
    ordered,
    failed,
    async stop() {
      ended.abort();
      await ordering;
    },
  };
}
