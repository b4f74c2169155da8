import { createInterface } from 'node:readline';
import { createState, loadPolicy, reduce, type Packet } from '@market-state/labeler';
import { eventOfRow, type MarketEvent, type TradeEvent } from '@market-state/market-data';
import { RETAINED_STATES, sampleOf } from '@market-state/packet-figures';
import { StabilityTally } from '../src/stability-tally';
import { runSteps, type Estimate } from '../src/validity/bootstrap';
import { CLAIMS, liftOn, stateLifts, type StateLift } from '../src/validity/state-validity';
import { ValidityTally } from '../src/validity/validity-tally';

/**
 * States on what they claim, from the rows of one symbol on stdin, once with the recorded sides of trades and once with
 * sides by the tick rule:
 * `npx market-state rows book.csv.gz trades.csv.gz --instrument … | node --import @oxc-node/core/register
 * libs/domain/report/bench/state-claims.ts`. Prints how often both sides agree, stability, the lift of each state, and
 * that of packets that meet a condition; brackets are 90 % intervals by half hours. docs/validity.md has the results.
 */
type Outcome =
  | 'book_keeps_its_side'
  | 'absolute_price_move'
  | 'flow_keeps_its_side'
  | 'least_depth'
  | 'widest_spread'
  | 'volatility_spread_and_one_sided_flow';

interface Condition {
  readonly name: string;
  readonly outcome: Outcome;
  readonly holds: (packet: Packet) => boolean;
}

const signed = (side: string): number => (side === 'bid' || side === 'buy' ? 1 : side === 'none' ? 0 : -1);
const composites = ({ state_decision_trace: { composites: all } }: Packet) => all;
const imbalances = ({ state_decision_trace: { imbalances: all } }: Packet) => all;
const score = (packet: Packet, name: 'pressure' | 'flow' | 'regime'): number => composites(packet)[name].score ?? 0;
const bookLeansNow = (packet: Packet): boolean => (imbalances(packet).top5 ?? 0) * signed(composites(packet).pressure.side) > 0;
const flowAgainstBook = (packet: Packet): boolean => {
  const { pressure, flow } = composites(packet);
  return pressure.held && flow.held && signed(pressure.side) * signed(flow.side) < 0;
};

/** Mean range of about the last half hour over the symbol's usual range: above 1, the market is active. */
const levelRatio = ({ event_severity: { range_bps: means } }: Packet): number =>
  means === null || means.level === 0 ? 0 : (means.middle + means.slow) / 2 / means.level;
const bookOpposes = (packet: Packet): boolean => (imbalances(packet).top5 ?? 0) * signed(composites(packet).pressure.side) < -0.25;

const CONDITIONS: readonly Condition[] = [
  {
    name: 'pressure held, five levels lean to its side now',
    outcome: 'book_keeps_its_side',
    holds: (packet) => composites(packet).pressure.held && bookLeansNow(packet),
  },
  {
    name: 'depth_watch, five levels lean to its side now',
    outcome: 'book_keeps_its_side',
    holds: (packet) => packet.state === 'depth_watch' && bookLeansNow(packet),
  },
  {
    name: 'pressure held, active market',
    outcome: 'absolute_price_move',
    holds: (packet) => composites(packet).pressure.held && levelRatio(packet) > 1,
  },
  {
    name: 'pressure held, other markets, book not against it',
    outcome: 'book_keeps_its_side',
    holds: (packet) => composites(packet).pressure.held && levelRatio(packet) <= 1 && !bookOpposes(packet),
  },
  {
    name: 'flow held, five levels lean to its side now',
    outcome: 'flow_keeps_its_side',
    holds: (packet) => composites(packet).flow.held && (imbalances(packet).top5 ?? 0) * signed(composites(packet).flow.side) > 0,
  },
  { name: 'market not active', outcome: 'volatility_spread_and_one_sided_flow', holds: (packet) => levelRatio(packet) <= 1 },
  { name: 'pressure and flow held, opposite sides', outcome: 'book_keeps_its_side', holds: flowAgainstBook },
  {
    name: 'flow held, price moved to its side',
    outcome: 'flow_keeps_its_side',
    holds: (packet) => composites(packet).flow.held && (imbalances(packet).price_move_bps ?? 0) * signed(composites(packet).flow.side) > 0,
  },
  { name: 'churn above 0.10', outcome: 'widest_spread', holds: (packet) => (composites(packet).fragility.terms.churn ?? 0) > 0.1 },
  { name: 'pressure below 0.10', outcome: 'volatility_spread_and_one_sided_flow', holds: (packet) => score(packet, 'pressure') < 0.1 },
  { name: 'pressure above 0.30', outcome: 'volatility_spread_and_one_sided_flow', holds: (packet) => score(packet, 'pressure') > 0.3 },
  {
    name: 'severity below 0.30',
    outcome: 'volatility_spread_and_one_sided_flow',
    holds: ({ event_severity: severity }) => severity.score < 0.3,
  },
  {
    name: 'market_state_watch, severity below 0.30',
    outcome: 'volatility_spread_and_one_sided_flow',
    holds: ({ state, event_severity: severity }) => state === 'market_state_watch' && severity.score < 0.3,
  },
  { name: 'market_state_watch', outcome: 'least_depth', holds: ({ state }) => state === 'market_state_watch' },
];

/** Above the last different price a trade is a buy, below it a sell. The first trades keep their recorded side. */
class TickRule {
  private price = Number.NaN;
  private side: TradeEvent['aggressorSide'] | undefined;
  private trades = 0;
  private agreeing = 0;

  apply(trade: TradeEvent): TradeEvent {
    const price = Number(trade.price);
    if (price !== this.price && !Number.isNaN(this.price)) this.side = price > this.price ? 'buy' : 'sell';
    this.price = price;
    if (this.side === undefined) return trade;
    this.trades++;
    if (this.side === trade.aggressorSide) this.agreeing++;
    return { ...trade, aggressorSide: this.side };
  }

  get agreement(): string {
    return `${percent(this.agreeing / this.trades)} of ${this.trades} trades have the recorded side`;
  }
}

/** Labels a log, and judges its live packets. */
class Judge {
  private readonly state;
  private readonly stability = new StabilityTally();
  private readonly validity = new ValidityTally();
  private readonly members = CONDITIONS.map((): boolean[] => []);
  private readonly sizes = { buy: 0, sell: 0 };

  constructor(
    private readonly sides: string,
    symbol: string,
  ) {
    this.state = createState(symbol, loadPolicy());
  }

  add(event: MarketEvent): void {
    if (event.kind === 'trade') this.sizes[event.aggressorSide] += Number(event.size);
    this.validity.addEntry(event);
    for (const { packet } of reduce(this.state, event)) {
      const sample = sampleOf(packet);
      this.stability.addPacket(sample);
      if (RETAINED_STATES.has(sample.winner)) continue;
      this.validity.addPacket(sample);
      for (const [index, { holds }] of CONDITIONS.entries()) this.members[index]?.push(holds(packet));
    }
  }

  *lines(): Generator<string> {
    this.validity.end();
    const { table } = this.validity;
    const { buy, sell } = this.sizes;
    const { livePackets, flipsPerHour, medianDwellSeconds } = this.stability.result();
    yield `${this.sides}: ${percent(buy / (buy + sell))} of the size bought, ${livePackets} live packets, ` +
      `${flipsPerHour?.toFixed(1)} changes an hour, median run ${medianDwellSeconds} s`;
    for (const lift of runSteps(stateLifts(table, false))) yield line(lift.state, lift);
    const claims = Object.values(CLAIMS).flat();
    for (const [index, { name, outcome }] of CONDITIONS.entries()) {
      const claim = claims.find((each) => each.outcome === outcome);
      if (claim !== undefined)
        yield line(
          name,
          liftOn(table, claim, (row) => this.members[index]?.[row] === true),
        );
    }
  }
}

function line(name: string, { outcome, claims, packets, givenLast, givenBlend, verdict }: Omit<StateLift, 'state'>): string {
  const cells = [name.padEnd(50), `${outcome} ${claims}`.padEnd(44), String(packets).padStart(6)];
  return [...cells, points(givenLast).padEnd(22), points(givenBlend).padEnd(22), verdict].join('  ');
}

function points(lift: Estimate | null): string {
  return lift === null ? '–' : `${lift.value.toFixed(1)} [${lift.low?.toFixed(1)}, ${lift.high?.toFixed(1)}]`;
}

function percent(share: number): string {
  return `${(100 * share).toFixed(0)} %`;
}

const tickRule = new TickRule();
let judges: readonly [Judge, Judge] | undefined;
for await (const text of createInterface({ input: process.stdin, crlfDelay: Infinity })) {
  const event = eventOfRow(JSON.parse(text));
  judges ??= [new Judge('recorded sides', event.symbol), new Judge('tick rule', event.symbol)];
  const [recorded, ruled] = judges;
  recorded.add(event);
  ruled.add(event.kind === 'trade' ? tickRule.apply(event) : event);
}
process.stdout.write(`${tickRule.agreement}\n`);
for (const judge of judges ?? []) for (const each of judge.lines()) process.stdout.write(`${each}\n`);
