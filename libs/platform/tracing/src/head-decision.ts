import { createContextKey, type Context, ROOT_CONTEXT } from '@opentelemetry/api';

/** Share of traces sent regardless of failures. */
export const SAMPLED_SHARE = 0.01;

const CHOSEN = createContextKey('market-state: chosen to be sent');

/** Root context of a trace that is already sampled. */
export const chosenContext: Context = ROOT_CONTEXT.setValue(CHOSEN, true);

/** Returns true if the trace was sampled before its first span. */
export function isChosen(active: Context): boolean {
  return active.getValue(CHOSEN) === true;
}

let isOpen = false;

export function setOpen(open: boolean): void {
  isOpen = open;
}

export function isTracing(): boolean {
  return isOpen;
}

/** Sampling decision for completed work that did not fail. */
export function choose(): boolean {
  return isOpen && Math.random() < SAMPLED_SHARE;
}
