import type { IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Problem } from '../errors/problem';
import { requestIdOf } from '../http/request-id';
import { sendProblem } from '../http/send';

/** Requests whose caller waits for 100 before it sends the body. */
const awaitingContinue = new WeakSet<IncomingMessage>();

const refuseExpectation: RequestListener = (req, res) => {
  sendProblem(
    res,
    requestIdOf(req),
    new Problem('expectation_failed', 'Only Expect: 100-continue is supported.', { headers: { Connection: 'close' } }),
  );
};

/** Serves requests with the header Expect: 100 is sent only when the body is about to be read; any other expectation is refused. */
export function meetExpectations(server: Server, listener: RequestListener, guarded: (listener: RequestListener) => RequestListener): void {
  const refuse = guarded(refuseExpectation);
  server.on('checkExpectation', refuse);
  // Node takes `foo, 100-continue` for 100-continue.
  server.on('checkContinue', (req, res) => {
    if (req.headers.expect?.toLowerCase() !== '100-continue') {
      refuse(req, res);
      return;
    }
    awaitingContinue.add(req);
    listener(req, res);
  });
}

/** Tells a caller that waits for it to send the body. */
export function letBodyCome(req: IncomingMessage, res: ServerResponse): void {
  if (awaitingContinue.delete(req)) res.writeContinue();
}
