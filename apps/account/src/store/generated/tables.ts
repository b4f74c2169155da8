import type { ColumnType } from "kysely";
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export const KeyKind = {
    live: "live",
    test: "test"
} as const;
export type KeyKind = (typeof KeyKind)[keyof typeof KeyKind];
export const KeyScope = {
    read: "read",
    export: "export",
    automation: "automation",
    account: "account"
} as const;
export type KeyScope = (typeof KeyScope)[keyof typeof KeyScope];
export const BillingProvider = {
    stripe: "stripe",
    offline: "offline"
} as const;
export type BillingProvider = (typeof BillingProvider)[keyof typeof BillingProvider];
export const BillingInterval = {
    month: "month",
    year: "year"
} as const;
export type BillingInterval = (typeof BillingInterval)[keyof typeof BillingInterval];
export const OrderStatus = {
    open: "open",
    fulfilled: "fulfilled",
    expired: "expired",
    cancelled: "cancelled"
} as const;
export type OrderStatus = (typeof OrderStatus)[keyof typeof OrderStatus];
export const InvoiceStatus = {
    paid: "paid",
    open: "open",
    void: "void",
    approved: "approved"
} as const;
export type InvoiceStatus = (typeof InvoiceStatus)[keyof typeof InvoiceStatus];
export const Renewal = {
    none: "none",
    daily: "daily",
    monthly: "monthly"
} as const;
export type Renewal = (typeof Renewal)[keyof typeof Renewal];
export const CreditKind = {
    market_state: "market_state",
    export: "export"
} as const;
export type CreditKind = (typeof CreditKind)[keyof typeof CreditKind];
export const GrantSource = {
    plan: "plan",
    trial: "trial",
    topup: "topup",
    sandbox: "sandbox",
    operator: "operator"
} as const;
export type GrantSource = (typeof GrantSource)[keyof typeof GrantSource];
export const ReservationState = {
    open: "open",
    settled: "settled",
    released: "released"
} as const;
export type ReservationState = (typeof ReservationState)[keyof typeof ReservationState];
export const PostingPhase = {
    grant: "grant",
    hold: "hold",
    charge: "charge",
    release: "release",
    expire: "expire"
} as const;
export type PostingPhase = (typeof PostingPhase)[keyof typeof PostingPhase];
export const LedgerAccount = {
    grant: "grant",
    holds: "holds",
    spent: "spent",
    issued: "issued",
    expired: "expired"
} as const;
export type LedgerAccount = (typeof LedgerAccount)[keyof typeof LedgerAccount];
export const MailKind = {
    reset: "reset",
    claim: "claim"
} as const;
export type MailKind = (typeof MailKind)[keyof typeof MailKind];
export type Account = {
    id: string;
    tenant_id: string;
    email: string;
    email_digest: Buffer;
    /**
     * Argon2id, in the PHC string format.
     */
    password_hash: string;
    /**
     * The key that the claim was made with; each key claims once.
     */
    claimed_key_id: string | null;
    created_at: Timestamp;
    /**
     * When its owner first followed a link that was mailed to the email; null: never.
     */
    email_verified_at: Timestamp | null;
};
export type ApiKey = {
    id: string;
    tenant_id: string;
    /**
     * 1..100 characters, its owner's.
     */
    name: string;
    kind: KeyKind;
    scopes: string;
    /**
     * SHA-256 of the whole key.
     */
    digest: Buffer;
    display_first: string;
    display_last: string;
    created_at: Timestamp;
    /**
     * Null: no end.
     */
    expires_at: Timestamp | null;
    revoked_at: Timestamp | null;
    /**
     * Written at most once a minute.
     */
    last_used_at: Timestamp | null;
    /**
     * The call that made it, the same on every try; null: the call had none.
     */
    operation_id: string | null;
    /**
     * Null: its tenant's limits alone.
     */
    ceiling_id: string | null;
    /**
     * Null: the plan's rate alone.
     */
    calls_per_minute: number | null;
    /**
     * The key that the rate was set for; it and its successors are counted together.
     */
    rate_key_id: string | null;
};
export type BalanceHour = {
    tenant_id: string;
    last_posting_id: string;
    kind: CreditKind;
    hour: Timestamp;
    granted: string;
    charged: string;
    expired: string;
    /**
     * Given back by reservations.
     */
    returned: string;
    /**
     * Changes of what reservations and leases hold.
     */
    held: string;
    leased: string;
};
export type BillingCustomer = {
    tenant_id: string;
    customer_id: string;
    created_at: Timestamp;
};
export type BillingOrder = {
    id: string;
    tenant_id: string;
    /**
     * Who ordered; null for a key.
     */
    account_id: string | null;
    provider: BillingProvider;
    status: OrderStatus;
    plan_id: string;
    /**
     * Null for a topup.
     */
    billing_interval: BillingInterval | null;
    amount_cents: number;
    caller_references: unknown;
    checkout_url: string;
    /**
     * The provider's id of what goes on being paid.
     */
    subscription_id: string | null;
    created_at: Timestamp;
    expires_at: Timestamp | null;
    fulfilled_at: Timestamp | null;
    /**
     * When its subscription ended, as the provider told.
     */
    ended_at: Timestamp | null;
    /**
     * The call that made it, the same on every try; null: the call had none.
     */
    operation_id: string | null;
};
export type ClaimToken = {
    /**
     * SHA-256 of the token.
     */
    digest: Buffer;
    tenant_id: string;
    created_at: Timestamp;
    expires_at: Timestamp;
    used_at: Timestamp | null;
};
export type CreditCeiling = {
    id: string;
    tenant_id: string;
    /**
     * Of both kinds together.
     */
    credits: string;
    window_seconds: number;
    /**
     * Start of the window whose charges are counted.
     */
    window_from: Timestamp;
    /**
     * Charged in that window.
     */
    spent: Generated<string>;
};
export type CreditGrant = {
    id: string;
    tenant_id: string;
    kind: CreditKind;
    source: GrantSource;
    /**
     * What gave them; it gives each kind once.
     */
    operation_id: string;
    note: string;
    amount: string;
    /**
     * Neither held, nor spent, nor expired.
     */
    left: string;
    spent: string;
    granted_at: Timestamp;
    /**
     * Null: never.
     */
    expires_at: Timestamp | null;
};
export type CreditHold = {
    id: string;
    tenant_id: string;
    kind: CreditKind;
    operation_id: string;
    amount: string;
    /**
     * Neither charged nor given back.
     */
    left: string;
    /**
     * Where the credits came from, in the order in which they are charged.
     */
    grant_ids: string[];
    grant_amounts: string[];
    /**
     * The day UTC whose caps the charges count against.
     */
    counted_on: Timestamp;
    taken_at: Timestamp;
    /**
     * The ceiling and the start of the window that the charges count against; null: none. A ceiling may be gone before its holds.
     */
    ceiling_id: string | null;
    ceiling_from: Timestamp | null;
    /**
     * When what is left is given back unasked.
     */
    release_at: Timestamp;
    ended_at: Timestamp | null;
};
export type CreditLease = {
    id: string;
    gateway_id: string;
    expires_at: Timestamp;
    ends_at_reset: boolean;
    /**
     * Number of the batch posted last.
     */
    last_batch: Generated<number>;
    /**
     * Since when its gateway is asked to end it.
     */
    recalled_at: Timestamp | null;
    ended_at: Timestamp | null;
};
export type CreditReservation = {
    operation_id: string;
    tenant_id: string;
    state: ReservationState;
    request_id: string;
    key_id: string;
    account_id: string;
    priced: unknown;
    reserved_at: Timestamp;
    expires_at: Timestamp;
};
export type CreditTotal = {
    tenant_id: string;
    kind: CreditKind;
    held: Generated<string>;
    spent: Generated<string>;
    issued: Generated<string>;
    expired: Generated<string>;
    /**
     * The day UTC whose spend is counted, and that of its month.
     */
    day: Generated<Timestamp>;
    spent_day: Generated<string>;
    spent_month: Generated<string>;
};
export type EmailClaim = {
    /**
     * SHA-256 of the token.
     */
    digest: Buffer;
    /**
     * Of the email, as an account's.
     */
    email_digest: Buffer;
    created_at: Timestamp;
    expires_at: Timestamp;
};
export type Entry = {
    posting_id: string;
    line: number;
    kind: CreditKind;
    account: LedgerAccount;
    /**
     * Of account `grant`.
     */
    grant_id: string | null;
    amount: string;
};
export type FoldedReadDay = {
    day_ms: string;
};
export type IdempotentCall = {
    /**
     * The operation id of the call, on every try.
     */
    id: string;
    tenant_id: string;
    method: string;
    route: string;
    /**
     * SHA-256 of the Idempotency-Key.
     */
    key_digest: Buffer;
    /**
     * SHA-256 of what tells the call from others of its route: path parameters, query, body.
     */
    body_digest: Buffer;
    /**
     * Rises by 1 with every owner.
     */
    fence: number;
    lease_until: Timestamp;
    forget_at: Timestamp;
    /**
     * The answer, encrypted; null until it is known.
     */
    sealed_answer: Buffer | null;
};
export type Invoice = {
    id: string;
    tenant_id: string;
    order_id: string;
    provider: BillingProvider;
    status: InvoiceStatus;
    plan_id: string;
    billing_interval: BillingInterval | null;
    amount_cents: number;
    created_at: Timestamp;
    document_url: string;
    provider_invoice_id: string | null;
};
export type KnownAddress = {
    account_id: string;
    /**
     * An IPv4 address or an IPv6 /64.
     */
    address: string;
    seen_at: Timestamp;
};
export type Outbox = {
    id: Generated<string>;
    tenant_id: string;
    kind: string;
    /**
     * What happened, once for a tenant.
     */
    occasion: string;
    payload: unknown;
    created_at: Timestamp;
    taken_at: Timestamp | null;
};
export type OutboxMail = {
    id: string;
    kind: Generated<MailKind>;
    email: string;
    created_at: Timestamp;
    attempts: Generated<number>;
    due_at: Timestamp;
};
export type PasswordReset = {
    account_id: string;
    /**
     * SHA-256 of the token.
     */
    digest: Buffer;
    created_at: Timestamp;
    expires_at: Timestamp;
};
export type Posting = {
    id: Generated<string>;
    tenant_id: string;
    operation_id: string;
    phase: PostingPhase;
    /**
     * Number of the batch, for charges of a lease; else 0.
     */
    part: number;
    /**
     * The day UTC whose caps a charge counts against.
     */
    counted_on: Timestamp;
    posted_at: Timestamp;
};
export type ProviderEvent = {
    id: string;
    type: string;
    received_at: Timestamp;
};
export type ReadDay = {
    day_ms: string;
    rate_class: string;
    /**
     * Since when a gateway counts, on the first day; null on all others.
     */
    since_ms: string | null;
    /**
     * Minutes in which a gateway counted.
     */
    minutes: number;
    answered: string;
    failed: string;
};
export type ReadMinute = {
    /**
     * Start of the minute, milliseconds since the epoch.
     */
    minute_ms: string;
    rate_class: string;
    /**
     * Names the run.
     */
    counter_id: string;
    /**
     * Since when the run counts, in its first minute and in the first after some that it could not hand on; null in all others.
     */
    since_ms: string | null;
    /**
     * 2xx and 304.
     */
    answered: number;
    /**
     * 5xx.
     */
    failed: number;
};
export type Receipt = {
    /**
     * Rises in the order in which a tenant's receipts were written.
     */
    sequence: Generated<string>;
    /**
     * Made of tenant and operation: an operation has one receipt.
     */
    id: string;
    tenant_id: string;
    operation_id: string;
    request_id: string;
    /**
     * Operation and part of the posting that charged it.
     */
    charged_operation_id: string;
    charged_part: number;
    key_id: string;
    account_id: string;
    plan_id: string;
    method: string;
    route: string;
    workload_family: string;
    price_version: string;
    estimated_market_state_credits: string;
    observed_market_state_credits: string;
    estimated_export_credits: string;
    observed_export_credits: string;
    quote_id: string;
    artifact_ids: string[];
    status: number;
    served_at: Timestamp;
};
export type Session = {
    /**
     * SHA-256 of the secret.
     */
    digest: Buffer;
    account_id: string;
    created_at: Timestamp;
    /**
     * Written at most once a minute.
     */
    last_used_at: Timestamp;
    expires_at: Timestamp;
};
export type SpendControl = {
    tenant_id: string;
    monthly_credit_cap: string | null;
    daily_credit_cap: string | null;
    per_call_credit_ceiling: string | null;
    export_credit_cap: string | null;
};
export type Tenant = {
    id: string;
    name: string;
    created_at: Timestamp;
    /**
     * Null: no plan, and no credits but those granted beside one.
     */
    plan_id: string | null;
    renewal: Generated<Renewal>;
    /**
     * Months of the plan begin on this day of the month, at this time of the day.
     */
    billing_anchor: Timestamp | null;
    /**
     * No period of the plan begins then or later. Null: no end.
     */
    plan_until: Timestamp | null;
    /**
     * Nothing of the tenant's opens anything.
     */
    disabled: Generated<boolean>;
    /**
     * Credits of a period by contract. Null: those of the plan.
     */
    own_market_state_credits: number | null;
    own_export_credits: number | null;
    /**
     * The period whose credits were given last.
     */
    period_from: Timestamp | null;
    period_to: Timestamp | null;
};
export type Throttle = {
    scope: string;
    /**
     * SHA-256 of who or what is limited.
     */
    subject: Buffer;
    /**
     * Milliseconds since the epoch, oldest first.
     */
    stamps: string[];
    last_at: Timestamp;
};
export type UsageDay = {
    tenant_id: string;
    day: Timestamp;
    workload_family: string;
    method: string;
    route: string;
    key_id: string;
    account_id: string;
    calls: string;
    market_state_credits: string;
    export_credits: string;
};
export type DB = {
    account: Account;
    api_key: ApiKey;
    balance_hour: BalanceHour;
    billing_customer: BillingCustomer;
    billing_order: BillingOrder;
    claim_token: ClaimToken;
    credit_ceiling: CreditCeiling;
    credit_grant: CreditGrant;
    credit_hold: CreditHold;
    credit_lease: CreditLease;
    credit_reservation: CreditReservation;
    credit_total: CreditTotal;
    email_claim: EmailClaim;
    entry: Entry;
    folded_read_day: FoldedReadDay;
    idempotent_call: IdempotentCall;
    invoice: Invoice;
    known_address: KnownAddress;
    outbox: Outbox;
    outbox_mail: OutboxMail;
    password_reset: PasswordReset;
    posting: Posting;
    provider_event: ProviderEvent;
    read_day: ReadDay;
    read_minute: ReadMinute;
    receipt: Receipt;
    session: Session;
    spend_control: SpendControl;
    tenant: Tenant;
    throttle: Throttle;
    usage_day: UsageDay;
};
