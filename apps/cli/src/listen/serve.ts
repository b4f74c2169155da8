import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { MarketState } from '@market-state/client';
import { incomplete } from '../cli-error';
import type { CliIo } from '../io/cli-io';
import type { Service } from '../client/open-service';
import { dataFolder } from '../access/access';
import { keyInShell } from './key-in-shell';
import { firstCommands } from './first-commands';
import { createJudge, type Verdict } from './judge';
import { type Message, spaced, timeOfDay } from './message';
import { misbehave } from './misbehaviour';
import { startReceiver } from './receiver';
import { openRegistration } from './registration';
import { readSchemas } from './schemas';
import type { ServeSettings } from './settings';
import { reopenWindow } from './window';

/** A market that runs beside every recording. */
const SIMULATED = 'SIMUSD-PERP';

/** Receives messages by https until the user ends it, and shows what each of them is worth. */
export async function serve({ ms, access }: Service, settings: ServeSettings, io: CliIo): Promise<void> {
  const folder = dataFolder(io, settings.dataDir);
  const say = (...lines: readonly string[]): void => void io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  const certificates = await readCertificates(folder);
  const judge = createJudge(await readSchemas(ms), Date.now);
  const registration = openRegistration(folder, settings.port);
  const symbol = await symbolToWatch(ms);
  const inOrder = createOrder();

  const receiver = await startReceiver({ port: settings.port, ...certificates }, (body, headers) => {
    const at = timeOfDay(Date.now());
    const failure = misbehave(settings.misbehaviour, Math.random());
    if (failure !== undefined) {
      say(
        spaced(
          at,
          String(headers['webhook-id'] ?? ''),
          failure === 'hang' ? 'left without an answer (--fail)' : `answered ${failure} (--fail)`,
        ),
      );
      return failure;
    }
    const verdict = judge.judge(body, headers, registration.read()?.secret);
    say(...linesOf(at, verdict));
    if (verdict.kind === 'message' && verdict.message.type === 'alert.triggered') {
      const { message } = verdict;
      inOrder(async () => {
        const sentence = await reopenWindow(ms, message);
        if (sentence !== undefined) say(`          ${sentence}`);
      });
    }
    return verdict.kind === 'refused' ? 401 : 200;
  });

  try {
    const parts = {
      url: access.url,
      keyInShell: keyInShell(io, access, folder),
      registrationFile: registration.file,
      symbol,
      port: settings.port,
    };
    say(`Receiving on https://localhost:${settings.port}/. Ctrl-C ends it.`);
    const known = registration.read();
    if (known !== undefined) say(`${known.endpointId} was registered before, and its secret is known: go on with 2.`);
    say('');
    firstCommands(parts).forEach(([sentence, command], index) => say(`${index + 1}. ${sentence}:`, `  ${command}`));
    say('');
    registration.follow(io.signal, (found) =>
      say(
        typeof found === 'string'
          ? `It was not registered: ${found}`
          : `Registered as ${found.endpointId}; its secret is known. Now test it (2).`,
      ),
    );
    if (!io.signal.aborted) await once(io.signal, 'abort');
  } finally {
    await receiver.close();
  }
}

async function readCertificates(folder: string): Promise<{ readonly certificate: string; readonly key: string }> {
  try {
    const [certificate, key] = await Promise.all(
      ['crt', 'key'].map((end) => readFile(join(folder, 'demo-tls', `localhost.${end}`), 'utf8')),
    );
    return { certificate: certificate ?? '', key: key ?? '' };
  } catch {
    throw incomplete(
      `There is no certificate for localhost in ${join(folder, 'demo-tls')}: npm start makes it, except with NODE_ENV=production.`,
      'Such a system does not send to this machine; --forward-to works with any.',
    );
  }
}

async function symbolToWatch(ms: MarketState): Promise<string> {
  const { data } = await ms.latest.get({ symbol: 'ALL', view: 'compact' });
  const symbols = data.rows.map(({ symbol }) => symbol);
  return symbols.includes(SIMULATED) ? SIMULATED : (symbols[0] ?? SIMULATED);
}

/** Runs one piece of work after the other. */
function createOrder(): (work: () => Promise<void>) => void {
  let before = Promise.resolve();
  return (work) => {
    before = before.then(work).catch(() => undefined);
  };
}

function linesOf(at: string, verdict: Verdict): readonly string[] {
  if (verdict.kind === 'refused') return [spaced(at, 'refused with 401:', verdict.reason)];
  if (verdict.kind === 'repeat') return [spaced(at, verdict.id, 'came before: dropped')];
  const { message, id, fault } = verdict;
  const { symbol, phase, condition, late, synthetic } = message.data;
  const marks = [late === true ? 'late' : '', synthetic === true ? 'synthetic' : ''].filter((mark) => mark !== '').join(', ');
  return [
    spaced(
      at,
      message.type,
      id,
      symbol,
      phase,
      marks,
      fault === undefined ? 'signature verified, body as described' : 'signature verified',
    ),
    ...(condition === undefined ? [] : [`          ${conditionText(condition)}`]),
    ...(fault === undefined ? [] : [`          its body is NOT as described: ${fault}`]),
  ];
}

/** What the rule found, and what it was held against: `score novelty_score, value 0.31, …`; the parameters of the rule are among it. */
function conditionText(condition: NonNullable<Message['data']['condition']>): string {
  return Object.entries(condition)
    .filter(([name, value]) => value !== null && name !== 'params')
    .map(([name, value]) => `${name} ${typeof value === 'object' ? JSON.stringify(value) : String(value)}`)
    .join(', ');
}
