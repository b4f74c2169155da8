import { runSuite } from '../harness';
import type { Attack } from './attack';
import { callWithoutCredential } from './doors/bare-grpc';
import { readCrossSite } from './doors/cross-site';
import { sendForeignHosts, sendStrangeExpect } from './doors/foreign-heads';
import { leaveHalfClosed } from './doors/half-closed';
import { logInAtOnce } from './doors/logins';
import { openPlainly } from './doors/plain-client';

const AT_ONCE = [sendStrangeExpect, sendForeignHosts, leaveHalfClosed, readCrossSite, openPlainly, callWithoutCredential];

/** What needs no load: one call each, or a few. */
export const smallDoors: Attack = {
  id: 'doors',
  async run(scene, context) {
    const results = await Promise.all(AT_ONCE.map((door) => runSuite({ run: (own) => door(scene, own) }, context)));
    for (const result of results) context.report.add(result);
    // Alone: others who log in could find the queue full.
    await logInAtOnce(scene, context);
  },
};
