import { yieldToEventLoop } from '@market-state/lifecycle';
import { Ajv2020 } from 'ajv/dist/2020';
import { type DataHealth, UNREACHABLE } from '../../clients/data-health';
import { type FixedRepresentation, lazyJson } from '../../serving/http/representation';
import type { Operation } from '../../serving/openapi/operations';
import type { ServedPacket } from '../../clients/packet-client';
import type { PacketView } from '../../serving/answers/packet-answer';
import { type LatestBody, renderLatest, type LabelingReach } from './render-latest';
import { dereference, openApiDocument } from '../../serving/openapi/document';

/** Returns the schema violations, or null. */
type ResponseCheck = (body: unknown) => string | null;

const checks = new Map<string, ResponseCheck>();

/** Compiled once per process. */
export function responseCheck(schemaName: string): ResponseCheck {
  const check = checks.get(schemaName) ?? compileCheck(schemaName);
  checks.set(schemaName, check);
  return check;
}

function compileCheck(schemaName: string): ResponseCheck {
  const ajv = new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true, formats: { password: true } });
  const validate = ajv.compile(dereference(openApiDocument, openApiDocument.components.schemas[schemaName] ?? false) as object);
  return (body) => (validate(body) ? null : ajv.errorsText(validate.errors, { dataVar: 'response' }));
}

export function latestChecks(): Readonly<Record<PacketView, ResponseCheck>> {
  return { packet: responseCheck('LatestResponse'), compact: responseCheck('CompactLatest') };
}

export const ALL_SYMBOLS = 'ALL';

/** Windows of all symbols close together; their packets arrive within this time. */
const TOGETHER_MS = 250;

const VIEWS: readonly PacketView[] = ['packet', 'compact'];

export interface PublishedLatest {
  readonly representation: FixedRepresentation<LatestBody>;
  readonly symbolTotal: number;
  readonly freshUntilMs: number;
  /** At the time of rendering. */
  readonly fresh: boolean;
}

export interface LatestCache {
  /** Keeps a later packet that is already stored. */
  push(packet: ServedPacket): void;
  setSymbols(symbols: readonly string[]): void;
  setPushed(symbols: ReadonlySet<string>): void;
  setAnswers(answers: boolean): void;
  /** For `ALL`, the weakest reach of any symbol. */
  reach(symbol: string): LabelingReach;
  setDataHealth(health: DataHealth): void;
  /** Returns null if there has never been a packet. */
  published(symbol: string, view: PacketView): PublishedLatest | null;
  /** Returns the response only if it is pushed, complete and fresh. */
  warm(symbol: string, view: PacketView): PublishedLatest | null;
  /** Null until labeling has reported the served symbols. */
  symbols(): readonly string[] | null;
  packet(symbol: string): ServedPacket | undefined;
  /** Newest window end; 0 if there has never been a packet. */
  newestMs(symbol: string): number;
  /** No packet of the symbol is due: its log is written only by imports of archives. */
  isImported(symbol: string): boolean;
  close(): void;
}

interface LatestCacheDeps {
  readonly operation: Operation;
  readonly now: () => number;
  readonly checks: Readonly<Record<PacketView, ResponseCheck>>;
  readonly onInvalid: (symbol: string, fault: string) => void;
}

/**
 * An answer is rendered on its first read after a change, and ahead of it, once packets that arrive together are all
 * forwarded, if it has been read since it was last rendered ahead. It changes with a packet, when one turns stale, and
 * when an upstream changes state.
 */
export function createLatestCache(deps: LatestCacheDeps): LatestCache {
  const packets = new Map<string, ServedPacket>();
  const responses: Readonly<Record<PacketView, Map<string, PublishedLatest>>> = { packet: new Map(), compact: new Map() };
  const staleTimers = new Map<string, NodeJS.Timeout>();
  /** Symbols whose newest packet cannot be rendered; `ALL` is rendered without them. */
  const unreadable = new Set<string>();
  /** Symbols, and `ALL`, to render on the next read. */
  const due = new Set<string>();
  /** Those read since they were last rendered ahead. */
  const read = new Set<string>();
  let aheadTimer: NodeJS.Timeout | null = null;
  let symbols: readonly string[] | null = null;
  let pushed: ReadonlySet<string> = new Set();
  let areAllPushed = false;
  let answers = false;
  let dataHealth = UNREACHABLE;

  function packetsOf(symbol: string): ServedPacket[] {
    if (symbol !== ALL_SYMBOLS) return [packets.get(symbol)].filter((packet) => packet !== undefined);
    const shown = ({ symbol: name }: ServedPacket): boolean => !unreadable.has(name) && symbols?.includes(name) !== false;
    return [...packets.values()].filter(shown).sort((a, b) => (a.symbol < b.symbol ? -1 : 1));
  }

  function missing(symbol: string): string[] {
    return symbol === ALL_SYMBOLS ? (symbols ?? []).filter((served) => !packets.has(served) || unreadable.has(served)) : [];
  }

  function countPushed(): void {
    areAllPushed = symbols?.every((symbol) => pushed.has(symbol)) === true;
  }

  function isPushed(symbol: string): boolean {
    return symbol === ALL_SYMBOLS ? areAllPushed : pushed.has(symbol);
  }

  function reachOf(symbol: string): LabelingReach {
    if (isPushed(symbol)) return 'stream';
    return answers ? 'unary' : 'unreachable';
  }

  function render(symbol: string): void {
    due.delete(symbol);
    try {
      renderPackets(symbol);
    } catch (error) {
      deps.onInvalid(symbol, String(error));
      unreadable.add(symbol);
      for (const view of VIEWS) responses[view].delete(symbol);
    }
  }

  function renderPackets(symbol: string): void {
    const [first, ...others] = packetsOf(symbol);
    if (first === undefined) return;
    const stored = [first, ...others] as const;
    const nowMs = deps.now();
    const facts = { packets: stored, missingSymbols: missing(symbol), reach: reachOf(symbol), dataHealth, nowMs };
    const freshUntilMs = Math.min(...stored.map((packet) => packet.freshUntilMs));
    for (const view of VIEWS) {
      const body = renderLatest(deps.operation, facts, view);
      const fault = deps.checks[view](body);
      if (fault !== null) deps.onInvalid(symbol, fault);
      const made = { representation: lazyJson(body), symbolTotal: stored.length, freshUntilMs, fresh: nowMs < freshUntilMs };
      responses[view].set(symbol, made);
    }
    renderWhenStale(symbol, freshUntilMs - nowMs);
  }

  function renderWhenStale(symbol: string, inMs: number): void {
    clearTimeout(staleTimers.get(symbol));
    staleTimers.delete(symbol);
    if (inMs > 0) staleTimers.set(symbol, setTimeout(() => render(symbol), inMs + 1).unref());
  }

  function renderSoon(symbol: string): void {
    due.add(symbol);
    aheadTimer ??= setTimeout(() => {
      aheadTimer = null;
      void renderAhead();
    }, TOGETHER_MS).unref();
  }

  async function renderAhead(): Promise<void> {
    for (const symbol of [...due].filter((each) => read.has(each))) {
      await yieldToEventLoop();
      if (!due.has(symbol)) continue;
      read.delete(symbol);
      render(symbol);
    }
  }

  function renderEach(changed: (symbol: string) => boolean = () => true): void {
    for (const symbol of [...packets.keys(), ALL_SYMBOLS]) if (changed(symbol)) renderSoon(symbol);
  }

  function afterChange(change: () => void): void {
    const before = new Map([...packets.keys(), ALL_SYMBOLS].map((symbol) => [symbol, reachOf(symbol)]));
    change();
    renderEach((symbol) => before.get(symbol) !== reachOf(symbol));
  }

  function store(packet: ServedPacket): void {
    packets.set(packet.symbol, packet);
    unreadable.delete(packet.symbol);
    for (const symbol of [packet.symbol, ALL_SYMBOLS]) renderSoon(symbol);
  }

  /** Also renders if the clock jumped past the staleness timer. */
  function current(symbol: string, view: PacketView): PublishedLatest | null {
    if (due.has(symbol)) render(symbol);
    const response = responses[view].get(symbol);
    if (response !== undefined) read.add(symbol);
    if (response !== undefined && response.fresh && deps.now() >= response.freshUntilMs) render(symbol);
    return responses[view].get(symbol) ?? null;
  }

  return {
    push(packet) {
      const known = packets.get(packet.symbol);
      if (known === undefined || known.windowEndMs < packet.windowEndMs) store(packet);
    },
    setSymbols(next) {
      if (symbols !== null && symbols.join() === next.join()) return;
      symbols = [...next];
      countPushed();
      renderSoon(ALL_SYMBOLS);
    },
    setPushed(next) {
      afterChange(() => {
        pushed = new Set(next);
        countPushed();
      });
    },
    setAnswers(next) {
      if (next === answers) return;
      afterChange(() => {
        answers = next;
      });
    },
    reach: reachOf,
    setDataHealth(next) {
      dataHealth = next;
      renderEach();
    },
    published: current,
    warm(symbol, view) {
      const response = isPushed(symbol) ? current(symbol, view) : null;
      return response?.fresh === true ? response : null;
    },
    symbols: () => symbols,
    packet: (symbol) => packets.get(symbol),
    isImported: (symbol) => dataHealth.imported.includes(symbol),
    newestMs: (symbol) => Math.max(0, ...packetsOf(symbol).map(({ windowEndMs }) => windowEndMs)),
    close() {
      for (const timer of [aheadTimer, ...staleTimers.values()]) clearTimeout(timer ?? undefined);
    },
  };
}
