import { AlertsOperations } from './generated/groups';
import type { Schemas } from './types';

export interface AlertStreamParams {
  /** `now`, the default: only new messages. `oldest`: the stored ones of the last 14 days first. */
  readonly from?: 'now' | 'oldest';
  /** `id` of the last alert received: resumes after it, and `from` is ignored. */
  readonly resumeFrom?: string;
}

export interface AlertMessage {
  /** Store it to resume with `resumeFrom`. Alerts that arrived together are repeated unless it is the id of the last. */
  readonly id: string;
  readonly data: Schemas['AlertTriggeredMessage'];
}

export class Alerts extends AlertsOperations {
  /**
   * Alerts of the tenant as they fire and recover, without an endpoint of yours. Waits for messages, free; survives
   * disconnects and restarts of the service. Aborting the signal ends it: the loop throws the signal's reason.
   */
  async *stream(
    params: AlertStreamParams = {},
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<AlertMessage, void, undefined> {
    const { alertMessages } = await import('./alert-messages');
    yield* alertMessages(this.send, params, options);
  }
}
