import type { IncomingMessage, ServerResponse } from 'node:http';
import { deliveredAtOnce, onDelivery } from '../http/delivery';
import type { OpenCharge } from './meter';

/**
 * An answer that a caller takes for longer is charged all the same: its bytes go to an open connection, and its lease must go back in time.
 * Milliseconds.
 */
const TAKING_MS_MAX = 20_000;

/** Charges a settled call once its answer is out, and frees its credits where the connection ended first. */
export function chargeOnDelivery(charge: Pick<OpenCharge, 'post' | 'cancel'>, req: IncomingMessage, res: ServerResponse): void {
  const isDelivered = deliveredAtOnce(req, res);
  if (isDelivered === true) charge.post();
  else if (isDelivered === false) charge.cancel();
  else {
    // Behind another answer none of its bytes could go out in all that time: the caller does without it, and nobody pays.
    const late = setTimeout(() => (res.socket === null ? req.socket.destroy() : charge.post()), TAKING_MS_MAX);
    late.unref();
    onDelivery(req, res, (isOut) => {
      clearTimeout(late);
      if (isOut) charge.post();
      else charge.cancel();
    });
  }
}
