import { setTimeout as delay } from 'node:timers/promises';
import type { Answer } from '../edge/caller';
import { KEYS } from '../edge/routes';
import { ask, codeOf, statusesOf } from './ask';
import type { Attack } from './attack';
import { countsOf, judgeOthers, othersFigure, rounded, startOthers, watchQuiet } from './others';
import { readProcessMetrics } from './process-metrics';
import { LOGIN } from './paths';
import type { Scene } from './scene';

const LIST_ITEMS = 21_000;
const BODY_BYTES_MAX = 65_536;
const ANSWER_BYTES_MAX = 32_768;
/** Answers are closed and garbage collected by then. */
const AFTER_MS = 500;

/** Bodies as large as they may be, of very many values, with a key and without. */
export const largeBodies: Attack = {
  id: 'bodies',
  async run(scene) {
    const { gateway, sizes, edge } = scene;
    const attacker = await edge.office.tenant('large bodies', 'trial');
    const quiet = await watchQuiet(scene);
    const quietStallMs = await stallOf(scene, () => delay(1_000 * sizes.quietSeconds));
    const others = startOthers(scene);
    const lists: (Answer | null)[] = [];
    const logins: (Answer | null)[] = [];
    const list = JSON.stringify({ name: 'large', scopes: Array<string>(LIST_ITEMS).fill('') });
    const login = bodyOfUnknownKeys();
    const send = (path: string, body: string, key?: string): Promise<Answer | null> =>
      ask(`${gateway.url}${path}`, {
        method: 'POST',
        body,
        from: '127.0.0.2',
        headers: key === undefined ? { origin: gateway.url } : { 'x-market-state-api-key': key },
      });
    const listStallMs = await stallOf(
      scene,
      async () => void lists.push(...(await Promise.all(Array.from({ length: sizes.bodies.lists }, () => send(KEYS, list, attacker.key))))),
    );
    const loginStallMs = await stallOf(
      scene,
      async () => void logins.push(...(await Promise.all(Array.from({ length: sizes.bodies.logins }, () => send(LOGIN, login))))),
    );
    const during = await others.stop();
    const answers = [...lists, ...logins];
    const largest = Math.max(...answers.map((answer) => answer?.text.length ?? 0));
    const strange = answers.filter((answer) => answer === null || ![400, 403, 413, 422, 429].includes(answer.status));
    const worstMs = Math.max(listStallMs, loginStallMs);
    const judged = judgeOthers(scene, 'Large bodies', quiet, during);
    return {
      failures: [
        ...judged.failures,
        ...(strange.length === 0
          ? []
          : [`Large bodies: ${strange.length} were answered otherwise than by a refusal: ${countsOf(statusesOf(strange))}.`]),
        ...(largest <= ANSWER_BYTES_MAX ? [] : [`Large bodies: an answer of ${largest} bytes.`]),
      ],
      timing: [
        ...judged.timing,
        ...(worstMs <= sizes.bodies.stallMsMax ? [] : [`Large bodies: the gateway's event loop stalled for ${rounded(worstMs)} ms.`]),
      ],
      figures: [
        [
          `large bodies: lists of ${LIST_ITEMS} items at once, logins at once`,
          `${lists.length} (${describe(lists)}), ${logins.length} (${describe(logins)})`,
        ],
        [
          'large bodies: longest stall of the event loop, ms: quiet, lists, logins',
          `${rounded(quietStallMs)}, ${rounded(listStallMs)}, ${rounded(loginStallMs)}`,
        ],
        ['large bodies: last answer after, ms: lists, logins', `${rounded(lastMs(lists))}, ${rounded(lastMs(logins))}`],
        ['large bodies: largest answer, bytes', largest],
        ['large bodies: latest of others, quiet', othersFigure(quiet)],
        ['large bodies: latest of others, meanwhile', othersFigure(during)],
      ],
    };
  },
};

/** `{"email":…,"password":…,"k0":0,…}`, just under 64 KiB. */
function bodyOfUnknownKeys(): string {
  const parts = ['{"email":"nobody@example.com","password":"not a password"'];
  for (let at = 0, bytes = parts[0]?.length ?? 0; ; at += 1) {
    const part = `,"k${at}":0`;
    bytes += part.length;
    if (bytes >= BODY_BYTES_MAX - 1) return `${parts.join('')}}`;
    parts.push(part);
  }
}

/** The longest stall of the gateway's event loop while the work goes on, and a moment after. */
async function stallOf({ gateway }: Scene, work: () => Promise<void>): Promise<number> {
  await readProcessMetrics(gateway.opsUrl);
  await work();
  await delay(AFTER_MS);
  return (await readProcessMetrics(gateway.opsUrl)).stallMsMax;
}

function describe(answers: readonly (Answer | null)[]): string {
  const codes = [...new Set(answers.map(codeOf))].filter((code) => code !== '');
  return `${countsOf(statusesOf(answers))}; ${codes.join(', ')}`;
}

function lastMs(answers: readonly (Answer | null)[]): number {
  return Math.max(...answers.map((answer) => (answer === null ? 0 : answer.endMs - answer.sentMs)));
}
