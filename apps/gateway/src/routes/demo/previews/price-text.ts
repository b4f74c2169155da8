import { costOf, plans } from '@market-state/pricing';

/** What the plainest call costs, and what the smallest tier holds. */
export function callPriceText(): string {
  const [smallest] = plans;
  const held = smallest?.credits?.market_state;
  return (
    `The newest packet of a symbol costs ${costOf('latest_packet', 1)} ` +
    `credit${held === undefined ? '' : `; the smallest tier holds ${held.toLocaleString('en-US')} a month`}.`
  );
}
