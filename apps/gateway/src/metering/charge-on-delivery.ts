import type { IncomingMessage, ServerResponse } from 'node:http';
import { deliveredAtOnce, onDelivery } from '../http/delivery';
import type { OpenCharge } from './meter';

/**
 * Charges a settled call once its answer is out, and frees its credits where the connection ended first. An answer that a slow caller still takes when the lease must go
 * back is charged then: its bytes go to an open connection.
 */
export function chargeOnDelivery(charge: Pick<OpenCharge, 'post' | 'cancel' | 'onRetire'>, req: IncomingMessage, res: ServerResponse): void {
  const isDelivered = deliveredAtOnce(req, res);
  if (isDelivered === true) charge.post();
  else if (isDelivered === false) charge.cancel();
  else {
    const stop = charge.onRetire(() => charge.post());
    onDelivery(req, res, (isOut) => {
      stop();
      if (isOut) charge.post();
      else charge.cancel();
    });
  }
}
