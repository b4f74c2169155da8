import { setTimeout as delay } from 'node:timers/promises';
import {
  type Answer,
  atOnce,
  callOnce,
  countsOf,
  errorCodeOf,
  lastMsOf,
  readProcessMetrics,
  rounded,
  statusesOf,
} from '@market-state/testing';
import { KEYS } from '../edge/edge';
import { type Attack, type Scene, LOGIN } from './scene';
import { chartOthers, judgeOthers, startOthers, watchQuiet } from './others';

const LIST_ITEMS = 21_000;
const BODY_BYTES_MAX = 65_536;
const ANSWER_BYTES_MAX = 32_768;
/** Time for answers to be closed and garbage-collected. */
const AFTER_MS = 500;

export const largeBodies: Attack = {
  id: 'bodies',
  async run(scene, context) {
    const { gateway, sizes, edge } = scene;
    const { report } = context;
    const attacker = await edge.tenants.create({ name: 'large bodies', planId: 'trial' });
    const quiet = await watchQuiet(scene, context);
    const quietStallMs = await stallOf(scene, () => delay(1_000 * sizes.quietSeconds));
    const others = startOthers(scene, context);
    let lists: (Answer | null)[] = [];
    let logins: (Answer | null)[] = [];
    const list = { name: 'large', scopes: Array<string>(LIST_ITEMS).fill('') };
    const login = bodyOfUnknownKeys();
    const listStallMs = await stallOf(scene, async () => {
      lists = await atOnce(sizes.bodies.lists, () =>
        callOnce(`${gateway.url}${KEYS}`, { method: 'POST', body: list, from: '127.0.0.2', key: attacker.key }),
      );
    });
    const loginStallMs = await stallOf(scene, async () => {
      logins = await atOnce(sizes.bodies.logins, () =>
        callOnce(`${gateway.url}${LOGIN}`, { method: 'POST', body: login, from: '127.0.0.2', headers: { origin: gateway.url } }),
      );
    });
    const during = await others.stop();
    const answers = [...lists, ...logins];
    const largest = Math.max(...answers.map((answer) => answer?.text.length ?? 0));
    const strange = answers.filter((answer) => answer === null || ![400, 403, 413, 422, 429].includes(answer.status));
    const worstMs = Math.max(listStallMs, loginStallMs);

    judgeOthers(report, 'Large bodies', { sizes, quiet, during });
    report.check(strange.length === 0, `Large bodies: ${strange.length} were not refused: ${countsOf(statusesOf(strange))}.`);
    report.check(largest <= ANSWER_BYTES_MAX, `Large bodies: an answer of ${largest} bytes.`);
    report.checkTime(worstMs <= sizes.bodies.stallMsMax, `Large bodies: the gateway's event loop stalled for ${rounded(worstMs)} ms.`);
    report.figure(
      `large bodies: lists of ${LIST_ITEMS} items at once, logins at once`,
      `${lists.length} (${describe(lists)}), ${logins.length} (${describe(logins)})`,
    );
    report.figure(
      'large bodies: longest stall of the event loop, ms: quiet, lists, logins',
      `${rounded(quietStallMs)}, ${rounded(listStallMs)}, ${rounded(loginStallMs)}`,
    );
    report.figure('large bodies: last answer after, ms: lists, logins', `${rounded(lastMsOf(lists))}, ${rounded(lastMsOf(logins))}`);
    report.figure('large bodies: largest answer, bytes', largest);
    chartOthers(report, 'large bodies', { quiet, during });
  },
};

/** `{"email":…,"password":…,"k0":0,…}`, just under 64 KiB. */
function bodyOfUnknownKeys(): Record<string, unknown> {
  const body: Record<string, unknown> = { email: 'nobody@example.com', password: 'not a password' };
  let bytes = JSON.stringify(body).length;
  for (let at = 0; ; at += 1) {
    bytes += `,"k${at}":0`.length;
    if (bytes >= BODY_BYTES_MAX) return body;
    body[`k${at}`] = 0;
  }
}

/** Longest stall of the gateway's event loop during the work and shortly after. */
async function stallOf({ gateway }: Scene, work: () => Promise<void>): Promise<number> {
  await readProcessMetrics(gateway.process);
  await work();
  await delay(AFTER_MS);
  return (await readProcessMetrics(gateway.process)).stallMsMax;
}

function describe(answers: readonly (Answer | null)[]): string {
  const codes = [...new Set(answers.map(errorCodeOf))].filter((code) => code !== '');
  return `${countsOf(statusesOf(answers))}; ${codes.join(', ')}`;
}
