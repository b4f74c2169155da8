import { createContextKey, type Context, ROOT_CONTEXT } from '@opentelemetry/api';

/** Share of traces that are sent whether or not anything in them fails. */
export const SAMPLED_SHARE = 0.01;

const CHOSEN = createContextKey('market-state: chosen to be sent');

/** A trace that begins here and was chosen already. */
export const chosenContext: Context = ROOT_CONTEXT.setValue(CHOSEN, true);

/** Whether a trace was chosen before its first span was opened. */
export function isChosen(active: Context): boolean {
  return active.getValue(CHOSEN) === true;
}

let isOpen = false;

/** Says that spans are recorded from now on, or no more. */
export function setOpen(open: boolean): void {
  isOpen = open;
}

/** Whether something that is already over, and cannot have failed, is one of those to be sent. */
export function choose(): boolean {
  return isOpen && Math.random() < SAMPLED_SHARE;
}
