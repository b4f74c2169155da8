import { AlertsOperations } from './generated/groups';
import type { Schemas } from './types';

export interface AlertStreamParams {
  /** `now`, the default: only new alerts. `oldest`: first those of the last 14 days. */
  readonly from?: 'now' | 'oldest';
  /** `id` of the last alert received; `from` is then ignored. */
  readonly resumeFrom?: string;
}

export interface AlertMessage {
  /** Resumes with `resumeFrom`. Alerts that arrived together repeat unless it is the id of the last. */
  readonly id: string;
  readonly data: Schemas['AlertTriggeredMessage'];
}

export class Alerts extends AlertsOperations {
  /**
   * The tenant's alerts as they fire and recover, without an endpoint of yours. Free; survives disconnects and restarts
   * of the service. Aborting ends it: the loop throws the signal's reason.
   */
  async *stream(
    params: AlertStreamParams = {},
    options: { readonly signal?: AbortSignal } = {},
  ): AsyncGenerator<AlertMessage, void, undefined> {
    const { alertMessages } = await import('./alert-messages');
    yield* alertMessages(this.send, params, options);
  }
}
