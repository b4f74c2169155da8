import { type LogBundle, loadPolicy, naturalLog } from '@market-state/labeler';
import { identityOf, type MarketEvent, WINDOW_MS } from '@market-state/market-data';
import { openRecomputePage, type PageAnswer, type RecomputePage, oneOf, type PageRequest, wholeBetween } from '@market-state/testing';
import { needsChromium, type Suite, type SuiteContext, type Report } from './harness';
import { bundlesFrom, logsFor, type Maker, newMaker, packed, verifyLab, timeLab } from './recompute-pages';

interface Mutation {
  readonly name: string;
  readonly lines: readonly string[];
  readonly request: Pick<PageRequest, 'keys' | 'policyFiles'>;
}

type Json = Record<string, unknown>;
type Random = () => number;

/** Fields about an entry's location, which `input_digest` excludes. */
const NOT_DIGESTED = ['schema', 'kind', 'received_ts_ms', 'ordinal', 'epoch'];
/** The gzip header holds a time and a program, which are not part of the state. */
const GZIP_HEAD_CHARACTERS = 16;

function mutate(bundle: LogBundle, maker: Maker, other: Maker, random: Random): Mutation {
  const policyFiles = loadPolicy().files;
  const request = { keys: [maker.published], policyFiles };
  const { lines } = bundle;
  const inLine = (what: string, start: string, change: (line: Json) => string): Mutation => {
    const at = lines.findIndex((line) => line.includes(start));
    const line = JSON.parse(lines[at] ?? 'null') as Json;
    const name = change(line);
    return { name: `${what}: ${name}`, lines: lines.with(at, JSON.stringify(line)), request };
  };
  const packet = oneOf(bundle.packets, random);
  const packetStart = `"packet_id":"${packet?.packet_id ?? ''}","policy_digest"`;
  const kinds: readonly [() => Mutation, ...(() => Mutation)[]] = [
    () => {
      const entry = oneOf(digestedEntries(bundle), random);
      return inLine(`entry ${entry?.ordinal ?? 0}`, `"ordinal":${entry?.ordinal ?? 0},`, (line) => changeLeaf(line, random, NOT_DIGESTED));
    },
    () => inLine(`packet ${packet?.packet_id ?? ''}`, packetStart, (line) => changeLeaf(line['packet'] as Json, random, [])),
    () => inLine(`row of ${packet?.packet_id ?? ''}`, packetStart, (line) => changeLeaf(line, random, ['schema', 'packet'])),
    () => inLine('key', 'market_state_signing_key.v1', (line) => changeLeaf(line, random, ['schema'])),
    () => ({ name: 'published key', lines, request: { keys: [other.published], policyFiles } }),
    () => {
      const changed = structuredClone(policyFiles) as unknown as Json;
      return { name: `policy: ${changeLeaf(changed, random, [])}`, lines, request: { ...request, policyFiles: changed } };
    },
  ];
  const ofCheckpoint = (): Mutation =>
    inLine('checkpoint', 'market_state_checkpoint.v1', (line) => changeLeaf(line, random, ['schema'], GZIP_HEAD_CHARACTERS));
  // Weighted towards entries and packets, the bulk of a bundle.
  const [entry, body] = kinds;
  const start = bundle.checkpoint === null ? [] : [ofCheckpoint, ofCheckpoint];
  return oneOf([entry, entry, entry, body ?? entry, ...kinds, ...start], random)();
}

/** Data entries and feed reports behind a packet of the bundle. */
function digestedEntries({ entries, packets }: LogBundle): MarketEvent[] {
  const closing = new Map(packets.map((row) => [row.window_end_ms, row.closing_ordinal ?? 0]));
  const last = packets.at(-1)?.closing_ordinal ?? 0;
  const [firstMs = 0] = closing.keys();
  const seen = new Set<string>();
  return entries.filter((event) => {
    if (event.kind === 'tick') return false;
    if (event.kind === 'feed_status') return event.ordinal < last;
    const identity = `${event.kind} ${event.pass} ${identityOf(event)}`;
    const isFirst = !seen.has(identity);
    seen.add(identity);
    const windowEndMs = Math.ceil(event.exchangeTsMs / WINDOW_MS) * WINDOW_MS;
    // Data repeated in the first window may precede the bundle.
    return isFirst && windowEndMs > firstMs && event.ordinal < (closing.get(windowEndMs) ?? 0);
  });
}

function changeLeaf(object: Json, random: Random, except: readonly string[], textFrom = 0): string {
  const leaves = [...leavesOf(object, '')].filter(
    ({ path }) => !except.some((name) => path === `/${name}` || path.startsWith(`/${name}/`)),
  );
  const leaf = oneOf(leaves, random);
  if (leaf === undefined) throw new Error('nothing to change');
  leaf.holder[leaf.name] = changed(leaf.holder[leaf.name], random, leaf.path === '/state' ? textFrom : 0);
  return leaf.path;
}

interface Leaf {
  readonly holder: Json;
  readonly name: string;
  readonly path: string;
}

function* leavesOf(holder: Json, path: string): Generator<Leaf> {
  for (const [name, value] of Object.entries(holder)) {
    const place = `${path}/${name}`;
    if (typeof value === 'object' && value !== null && Object.keys(value).length > 0) yield* leavesOf(value as Json, place);
    else yield { holder, name, path: place };
  }
}

function changed(value: unknown, random: Random, textFrom: number): unknown {
  if (typeof value === 'boolean') return !value;
  if (typeof value === 'number') return value + oneOf([1, -1, 10_000], random);
  if (typeof value === 'string' && value !== '') return changedText(value, random, textFrom);
  return 'x';
}

/** Replaces one character, not the first, with another of its kind. */
function changedText(text: string, random: Random, from: number): string {
  const at = wholeBetween(Math.min(from, text.length - 1), text.length - 1, random);
  const character = text[at] ?? '';
  const kinds = ['0123456789', 'abcdef', 'ghjkmnpqrstvwxyz', 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
  const kind = (kinds.find((characters) => characters.includes(character)) ?? 'xyz').replace(character, '');
  return `${text.slice(0, at)}${oneOf([...kind], random) ?? 'x'}${text.slice(at + 1)}`;
}

/**
 * Compares the labeler's logarithm with V8's on random numbers: price ratios, values near powers of 2, arbitrary
 * doubles.
 */
function verifyLogarithm(report: Report, random: () => number, total: number): void {
  const words = new Uint32Array(2);
  const double = new Float64Array(words.buffer);
  const price = (): number => Math.round(100_000 * (0.95 + random() / 10)) / 10;
  let different = 0;
  for (let index = 0; index < total; index += 1) {
    let value: number;
    if (index % 3 === 0) value = price() / price();
    else if (index % 3 === 1) value = (1 + (random() - 0.5) * 2 ** -Math.floor(52 * random())) * 2 ** Math.floor(8 * random() - 4);
    else {
      words[0] = Math.floor(random() * 2 ** 32);
      words[1] = Math.floor(random() * 0x7ff0_0000);
      value = double[0] ?? 0;
    }
    if (!Object.is(naturalLog(value), Math.log(value))) different += 1;
  }
  report.figure("logarithms equal to V8's", total - different);
  report.check(different === 0, `${different} of ${total} logarithms differ from V8's`);
}

/** Limits for fifteen minutes of data: answer time, and blocking of the page. */
const QUARTER = { packets: 90, answerMs: 3_000, pauseMs: 50 };
const LOGARITHMS_A_PACKET = 10_000;

export const recomputeSuite: Suite = {
  id: 'recompute',
  claim:
    "in Chromium the portal\'s worker confirms every packet of recorded and simulated logs with gaps and seams, detects every " +
    'change, and computes logarithms bit for bit as V8 does; its policy lab reproduces them under the published numbers',
  budget: { default: 1_000, counts: 'packets, and as many changes' },
  short: { seed: 5, budget: 20 },
  needs: [needsChromium],
  async run(context) {
    const { closer, report, random, seed, budget, isShort, say } = context;
    const page = await openRecomputePage();
    closer.add('page', () => page.close());
    const [maker, other] = [newMaker(), newMaker()];
    const logs = logsFor(budget, seed);
    const packetsEach = budget < 100 ? 5 : 10;
    const bundles: LogBundle[] = [];
    for (const log of logs) {
      const made = bundlesFrom(log, budget / logs.length, packetsEach, maker);
      bundles.push(...made);
      const equal = await equalPackets(page, made, maker, context);
      if (isShort) report.check(equal === budget / logs.length, `${log.name}: ${equal} packets are equal, not ${budget / logs.length}.`);
      report.figure(`${log.name}: packets equal`, equal);
      say(`${log.name}: ${equal} packets equal`);
    }
    await findChanges(page, bundles, { maker, other }, context);
    await verifyLab(page, bundles, context);
    if (budget >= QUARTER.packets) await timeQuarter(page, maker, context);
    verifyLogarithm(report, random, budget * LOGARITHMS_A_PACKET);
    report.fail(...page.complaints());
  },
};

async function equalPackets(page: RecomputePage, bundles: readonly LogBundle[], maker: Maker, { report }: SuiteContext): Promise<number> {
  let equal = 0;
  for (const { lines, packets } of bundles) {
    const { answer } = await page.check(packed(lines), { policyFiles: loadPolicy().files, keys: [maker.published] });
    const isWhole = answer.type === 'checked' && answer.check.holds && answer.check.derivation.packetTotal === packets.length;
    if (isWhole) equal += packets.length;
    else report.fail(`packets from ${packets[0]?.packet_id ?? ''} on: ${wordsOf(answer)}`);
  }
  return equal;
}

async function findChanges(
  page: RecomputePage,
  bundles: readonly LogBundle[],
  { maker, other }: { readonly maker: Maker; readonly other: Maker },
  { report, random, budget, say }: SuiteContext,
): Promise<void> {
  const found = { refused: 0, named: 0 };
  for (let change = 1; change <= budget; change += 1) {
    const bundle = oneOf(bundles, random);
    if (bundle === undefined) throw new Error('no bundle');
    const { name, lines, request } = mutate(bundle, maker, other, random);
    const { answer } = await page.check(packed(lines), request);
    if (answer.type === 'refused') found.refused += 1;
    else if (!answer.check.holds && answer.check.firstDifference !== null) found.named += 1;
    else report.fail(`not detected: ${name}, in the bundle of ${bundle.packets[0]?.packet_id ?? ''}: ${wordsOf(answer)}`);
    if (change % 100 === 0) say(`${change} of ${budget} changes`);
  }
  report.figure('changes detected, with the first difference named', found.named);
  report.figure('changes that invalidate the bundle, with an explanation', found.refused);
}

async function timeQuarter(page: RecomputePage, maker: Maker, context: SuiteContext): Promise<void> {
  const { report } = context;
  const [log] = logsFor(0, 0);
  if (log === undefined) throw new Error('no log');
  const [bundle] = bundlesFrom(log, QUARTER.packets, QUARTER.packets, maker);
  if (bundle === undefined) throw new Error('no bundle');
  const bytes = packed(bundle.lines);
  const { answer, tookMs, longestPauseMs } = await page.check(bytes, { policyFiles: loadPolicy().files, keys: [maker.published] });
  report.check(answer.type === 'checked' && answer.check.holds, `fifteen minutes: ${wordsOf(answer)}`);
  report.figure('fifteen minutes', `${bundle.entries.length} entries, ${bytes.length} bytes, ${Math.round(tookMs)} ms`);
  report.figure('longest pause of the page during that', `${Math.round(longestPauseMs)} ms`);
  report.checkTime(tookMs <= QUARTER.answerMs, `fifteen minutes took ${Math.round(tookMs)} ms`);
  report.checkTime(longestPauseMs <= QUARTER.pauseMs, `the page paused ${Math.round(longestPauseMs)} ms`);
  await timeLab(page, bundle, context);
}

function wordsOf(answer: PageAnswer['answer']): string {
  return answer.type === 'refused' ? answer.lines.join(' ') : JSON.stringify(answer.check);
}
