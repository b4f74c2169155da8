import type { IncomingMessage, ServerResponse } from 'node:http';
import type { OpenCharge } from '../metering/meter';
import type { Operation } from '../openapi/operations';

/** A request that is answered by a file. */
export interface FileRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly requestId: string;
  readonly operation: Operation;
  /** Null where the file is not metered. */
  readonly charge: OpenCharge | null;
  /** Further headers, name and value in turns. */
  readonly headers: readonly string[];
}
