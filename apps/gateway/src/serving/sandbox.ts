import { notForSandbox } from '../clients/delayed/delay';
import type { AnyHandler } from './handlers/handler';
import type { Operation } from './openapi/operations';

/** Chooses who serves a sandbox key in place of an operation's handler. */
export type SandboxChoice = (operation: Operation, handler: AnyHandler) => AnyHandler;

function refuse(): never {
  throw notForSandbox();
}

/**
 * The rule of each operation's `x-sandbox`: its own handler, the one among `delayed`, which reads nothing younger than the delay, or a
 * refusal.
 */
export function sandboxChoice(delayed: ReadonlyMap<string, AnyHandler>): SandboxChoice {
  return ({ servedAs, sandbox }, handler) => {
    switch (sandbox) {
      case 'same':
        return handler;
      case 'delayed':
        return delayed.get(servedAs) ?? refuse;
      case 'refused':
        return refuse;
    }
  };
}
