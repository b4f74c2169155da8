import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '@market-state/launcher';
import { createState, loadPolicy, reduce, type PacketResult } from '@market-state/labeler';
import { silentLogger } from '@market-state/logging';
import { demoLoop } from '@market-state/scenarios';
import { startSimulatedVenue } from '@market-state/simulated-venue';
import type { Report, Suite } from './harness';
import { AdapterRun } from './hyperliquid/adapter-run';

type Packet = PacketResult['packet'];

const ASPECTS = {
  states: ({ state }: Packet) => state,
  event_classes: ({ event_class: eventClass }: Packet) => eventClass,
  severity_classes: ({ event_severity: severity }: Packet) => severity.severity_class,
} as const;

type Aspect = keyof typeof ASPECTS;

const aspects = Object.keys(ASPECTS) as Aspect[];

interface Occurrence {
  readonly packetTotal: number;
  /** Window ends in milliseconds since the market started, both inclusive. */
  readonly spans: readonly { readonly fromMs: number; readonly toMs: number }[];
}

class Occurrences {
  private readonly seen: Readonly<Record<Aspect, Map<string, { packetTotal: number; spans: { fromMs: number; toMs: number }[] }>>> = {
    states: new Map(),
    event_classes: new Map(),
    severity_classes: new Map(),
  };
  private lastMs = -1;

  /** @param atMs end of its window in milliseconds since the market started; must increase */
  add(packet: Packet, atMs: number): void {
    for (const aspect of aspects) {
      const word = ASPECTS[aspect](packet);
      const known = this.seen[aspect].get(word) ?? { packetTotal: 0, spans: [] };
      this.seen[aspect].set(word, known);
      known.packetTotal++;
      const last = known.spans.at(-1);
      if (last !== undefined && last.toMs === this.lastMs) last.toMs = atMs;
      else known.spans.push({ fromMs: atMs, toMs: atMs });
    }
    this.lastMs = atMs;
  }

  of(aspect: Aspect, word: string): Occurrence | undefined {
    return this.seen[aspect].get(word);
  }
}

function clockText(atMs: number): string {
  return `${Math.floor(atMs / 60_000)}:${String((atMs % 60_000) / 1_000).padStart(2, '0')}`;
}

/** 2026-01-05T00:00:00Z. */
const START_MS = 1_767_571_200_000;
const STEP_MS = 250;
const MINUTE_MS = 60_000;
/** Delay of the feed behind the venue. */
const CONNECT_MS = 4_000;
const SYMBOL = 'SIMUSD-PERP';
const SPANS_SHOWN = 8;
const README_ROUND = { seed: 1, minutes: 30, packets: 179 };
/** The market repeats, so its wildest episode belongs to the symbol's usual level. */
const NEVER = 'critical_context';

export const demoSuite: Suite = {
  id: 'demo',
  claim:
    'half an hour of the simulated market contains every state, every event class and every severity but the highest, all marked simulated',
  budget: { default: 30, counts: 'minutes' },
  short: { seed: README_ROUND.seed, budget: README_ROUND.minutes },
  async run({ report, seed, budget, random, closer, say }) {
    const venue = await startSimulatedVenue({ address: '127.0.0.1:0', seed, logger: silentLogger(), startMs: START_MS });
    closer.add('venue', () => venue.close());
    venue.advanceTo(START_MS + CONNECT_MS);
    const adapter = new AdapterRun(venue, START_MS + CONNECT_MS, random);
    closer.add('adapter', () => adapter.close());

    const policy = loadPolicy();
    const state = createState(SYMBOL, policy);
    const occurrences = new Occurrences();
    const kinds = new Set<string>();
    const flags = new Set<string>();
    let packetTotal = 0;
    for (let nowMs = START_MS + CONNECT_MS; nowMs < START_MS + budget * MINUTE_MS; ) {
      nowMs += STEP_MS;
      await adapter.clockAt(nowMs);
      venue.advanceTo(nowMs);
      await venue.flushed();
      for (const event of await adapter.settleAt(nowMs)) {
        for (const { windowEndMs, packet, sourceKind } of reduce(state, event)) {
          occurrences.add(packet, windowEndMs - START_MS);
          kinds.add(sourceKind);
          for (const flag of packet.packet_quality.gap_flags) flags.add(flag);
          packetTotal++;
        }
      }
      const episode = demoLoop.find(({ fromMs }) => fromMs === (nowMs - START_MS) % loopMs);
      if (episode !== undefined) say(`${clockText(nowMs - START_MS)} ${episode.name}`);
    }

    report.figure('packets', packetTotal);
    for (const aspect of aspects) {
      for (const word of policy.taxonomy.kinds.get(aspect)?.keys() ?? []) {
        const occurrence = occurrences.of(aspect, word);
        report.check(occurrence !== undefined || word === NEVER, `${word} of ${aspect} did not occur.`);
        report.figure(word, occurrence === undefined ? 'never' : textOf(occurrence));
      }
    }
    report.check([...kinds].join() === 'simulated', `Packets are marked ${[...kinds].join(', ')}, not only simulated.`);
    if (seed === README_ROUND.seed && budget === README_ROUND.minutes) checkReadme(report);
    for (const flag of ['book_gap', 'trade_gap', 'feed_reconnected']) report.check(flags.has(flag), `No packet is flagged ${flag}.`);
  },
};

/** The simulated market's README lists the times of this round. */
function checkReadme(report: Report): void {
  const readme = readFileSync(join(workspaceRoot(), 'apps', 'simulated-venue', 'README.md'), 'utf8');
  const episodes = demoLoop.map(({ fromMs, name, description }) => `| ${clockText(fromMs)} | ${name} | ${description} |`);
  const [first, ...rest] = report.figures;
  const words = rest.map(([word, when]) => `| \`${word}\` | ${when} |`);
  report.check(first?.[1] === README_ROUND.packets, `The round has ${first?.[1]} packets, not ${README_ROUND.packets}.`);
  report.check(readme.includes(episodes.join('\n')), 'The README lists different episodes.');
  report.check(readme.includes(words.join('\n')), `The README lists different times than these:\n${words.join('\n')}`);
}

const loopMs = demoLoop.reduce((sum, { lengthMs }) => sum + lengthMs, 0);

function textOf({ packetTotal, spans }: Occurrence): string {
  const shown = spans
    .slice(0, SPANS_SHOWN)
    .map(({ fromMs, toMs }) => (fromMs === toMs ? clockText(fromMs) : `${clockText(fromMs)}–${clockText(toMs)}`));
  return `${packetTotal} packets, ${shown.join(', ')}${spans.length > SPANS_SHOWN ? ', …' : ''}`;
}
