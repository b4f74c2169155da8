import type { UnaryHandler } from '@market-state/grpc';
import { PASSWORD_WORK, passwordWorkFull } from '../../accounts/password-work';

/** Calls that may be inside: as many as may be hashed and wait for it. */
const INSIDE_MAX = PASSWORD_WORK.atOnceMax + PASSWORD_WORK.waitingMax;

/** Kept of a caller's time for the way back of a refusal, milliseconds. */
const WAY_BACK_MS = 500;

/** A wait that is named where none was measured, milliseconds. */
const WAIT_MS = 2_000;

/**
 * Makes handlers that share room for calls that may hash a password, whatever they wait for: the database too. Where that is taken, or the
 * answer is not there shortly before the caller's deadline, they refuse.
 * @throws ServiceError (from those handlers) RESOURCE_EXHAUSTED with reason `password_work_full`
 */
export function createSignInRoom(insideMax = INSIDE_MAX) {
  let inside = 0;

  return function inRoom<Request, Response>(handler: UnaryHandler<Request, Response>): UnaryHandler<Request, Response> {
    return async (request, context) => {
      if (inside >= insideMax) throw passwordWorkFull(WAIT_MS);
      inside += 1;
      const answer = handler(request, context).finally(() => (inside -= 1));
      return context.deadlineMs === undefined ? answer : answerBefore(context.deadlineMs - WAY_BACK_MS, answer);
    };
  };
}

function answerBefore<T>(atMs: number, answer: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(passwordWorkFull(WAIT_MS)), atMs - Date.now());
    answer.then(resolve, reject).finally(() => clearTimeout(timer));
  });
}
