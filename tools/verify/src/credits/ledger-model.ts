export type Kind = 'market_state' | 'export';

/** Owner of credits set aside for later charges: a gateway's lease, or work that reserved them. */
export type Holder = 'gateway' | 'work';

interface Coin {
  readonly kind: Kind;
  readonly grant: number;
  readonly endsMs: number;
  place: 'free' | 'spent' | 'ended' | string;
}

interface ReservedCoins {
  readonly id: string;
  readonly kind: Kind;
  readonly holder: Holder;
  readonly coins: Coin[];
  readonly dayMs: number;
  readonly releaseMs: number;
}

export interface ModelCaps {
  readonly monthly: number | null;
  readonly daily: number | null;
  readonly exports: number | null;
}

const DAY_MS = 86_400_000;
const NEVER_MS = 9e15;

/**
 * Model of a tenant's credits: each credit is an object in exactly one place. Slow and simple, and independent of the
 * service's method: it keeps no balances.
 */
export class LedgerModel {
  private coins: Coin[] = [];
  private readonly held = new Map<string, ReservedCoins>();
  private readonly spends: { kind: Kind; dayMs: number; amount: number }[] = [];
  private grants = 0;
  private dayMs = 0;
  private plan: {
    key: string;
    renewal: 'none' | 'daily' | 'monthly';
    anchorMs: number;
    untilMs: number;
    amounts: Record<Kind, number>;
  } | null = null;
  private periodEndMs = 0;
  private readonly given = new Set<string>();
  caps: ModelCaps = { monthly: null, daily: null, exports: null };

  /** Advances the time, or sets it back a little. */
  at(nowMs: number): void {
    this.dayMs = Math.max(this.dayMs, Math.floor(nowMs / DAY_MS) * DAY_MS);
    for (const held of [...this.held.values()]) if (held.releaseMs <= nowMs) this.release(held.id);
    for (const coin of this.coins) if (coin.place === 'free' && coin.endsMs <= nowMs) coin.place = 'ended';
    if (this.plan !== null && this.plan.renewal !== 'none' && nowMs >= this.periodEndMs) this.beginPeriod(nowMs);
  }

  give(kind: Kind, amount: number, endsMs: number | null): void {
    this.grants += 1;
    for (let made = 0; made < amount; made += 1) this.coins.push({ kind, grant: this.grants, endsMs: endsMs ?? NEVER_MS, place: 'free' });
  }

  setPlan(key: string, renewal: 'none' | 'daily' | 'monthly', amounts: Record<Kind, number>, nowMs: number): void {
    if (this.plan?.key === key) return;
    this.plan = { key, renewal, anchorMs: nowMs, untilMs: NEVER_MS, amounts };
    this.beginPeriod(nowMs);
  }

  private beginPeriod(nowMs: number): void {
    if (this.plan === null) return;
    const { renewal, anchorMs, amounts } = this.plan;
    let fromMs = Math.floor(nowMs / DAY_MS) * DAY_MS;
    let toMs = fromMs + DAY_MS;
    if (renewal !== 'daily') {
      let months = 0;
      while (monthsLater(anchorMs, months + 1) <= nowMs) months += 1;
      fromMs = monthsLater(anchorMs, months);
      toMs = monthsLater(anchorMs, months + 1);
    }
    this.periodEndMs = toMs;
    if (this.given.has(String(fromMs))) return;
    this.given.add(String(fromMs));
    for (const kind of ['market_state', 'export'] as const) this.give(kind, amounts[kind], toMs);
  }

  free(kind: Kind): number {
    return this.coins.reduce((sum, coin) => sum + Number(coin.kind === kind && coin.place === 'free'), 0);
  }

  usable(kind: Kind): number {
    return Math.min(...this.limits(kind).values());
  }

  /** Remaining allowance of each control that has a limit. */
  limits(kind: Kind): Map<string, number> {
    const { monthly, daily, exports } = this.caps;
    const month = (dayMs: number): boolean => monthOf(dayMs) === monthOf(this.dayMs);
    const used = (counts: (dayMs: number) => boolean): number =>
      this.spent(kind, counts) + this.heldAmount((held) => held.kind === kind && counts(held.dayMs));
    const limits = new Map([['BALANCE', this.free(kind)]]);
    if (kind === 'market_state' && monthly !== null) limits.set('MONTHLY_CREDIT_CAP', monthly - used(month));
    if (kind === 'market_state' && daily !== null) limits.set('DAILY_CREDIT_CAP', daily - used((dayMs) => dayMs === this.dayMs));
    if (kind === 'export' && exports !== null) limits.set('EXPORT_CREDIT_CAP', exports - used(month));
    return limits;
  }

  hold(id: string, holder: Holder, kind: Kind, amount: number, releaseMs: number): void {
    const order = this.coins
      .filter((coin) => coin.kind === kind && coin.place === 'free')
      .sort((one, other) => one.endsMs - other.endsMs || one.grant - other.grant);
    const coins = order.slice(0, amount);
    if (coins.length < amount) throw new Error(`the model has no ${amount} credits`);
    for (const coin of coins) coin.place = id;
    this.held.set(id, { id, kind, holder, coins, dayMs: this.dayMs, releaseMs });
  }

  leftOf(id: string): number {
    return this.held.get(id)?.coins.filter(({ place }) => place === id).length ?? 0;
  }

  isOpen(id: string): boolean {
    return this.held.has(id);
  }

  charge(id: string, amount: number): void {
    const held = this.held.get(id);
    const coins = held?.coins.filter(({ place }) => place === id).slice(0, amount) ?? [];
    if (held === undefined || coins.length < amount) throw new Error(`the model's hold ${id} has no ${amount} credits`);
    for (const coin of coins) coin.place = 'spent';
    this.spends.push({ kind: held.kind, dayMs: held.dayMs, amount });
  }

  release(id: string): void {
    for (const coin of this.held.get(id)?.coins ?? []) if (coin.place === id) coin.place = 'free';
    this.held.delete(id);
  }

  balance(kind: Kind): { available: number; held: number; leasedToGateways: number; spentToday: number; spentThisMonth: number } {
    const keptBy = (holder: Holder): number => this.heldAmount((held) => held.kind === kind && held.holder === holder);
    return {
      available: this.free(kind),
      held: keptBy('work'),
      leasedToGateways: keptBy('gateway'),
      spentToday: this.spent(kind, (dayMs) => dayMs === this.dayMs),
      spentThisMonth: this.spent(kind, (dayMs) => monthOf(dayMs) === monthOf(this.dayMs)),
    };
  }

  private heldAmount(counts: (held: ReservedCoins) => boolean): number {
    return [...this.held.values()].reduce((sum, held) => (counts(held) ? sum + this.leftOf(held.id) : sum), 0);
  }

  private spent(kind: Kind, counts: (dayMs: number) => boolean): number {
    return this.spends.reduce((sum, spend) => (spend.kind === kind && counts(spend.dayMs) ? sum + spend.amount : sum), 0);
  }
}

function monthOf(ms: number): string {
  return new Date(ms).toISOString().slice(0, 7);
}

/** The same time of the month, or the last day of a shorter month. */
function monthsLater(ms: number, months: number): number {
  const from = new Date(ms);
  const later = new Date(ms);
  later.setUTCMonth(from.getUTCMonth() + months);
  while (later.getUTCDate() !== from.getUTCDate() && later.getUTCDate() < 4) later.setUTCDate(0);
  return later.getTime();
}
