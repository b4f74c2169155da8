import type { ColumnType } from "kysely";
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export const WatchlistKind = {
    watchlist: "watchlist",
    alert: "alert"
} as const;
export type WatchlistKind = (typeof WatchlistKind)[keyof typeof WatchlistKind];
export const EndpointStatus = {
    test_pending: "test_pending",
    live: "live",
    disabled: "disabled"
} as const;
export type EndpointStatus = (typeof EndpointStatus)[keyof typeof EndpointStatus];
export const DeliveryStatus = {
    waiting: "waiting",
    delivered: "delivered",
    exhausted: "exhausted",
    endpoint_disabled: "endpoint_disabled",
    endpoint_deleted: "endpoint_deleted",
    held_no_credits: "held_no_credits",
    not_paid: "not_paid"
} as const;
export type DeliveryStatus = (typeof DeliveryStatus)[keyof typeof DeliveryStatus];
export const TaskKind = {
    recover: "recover",
    replay_missing: "replay_missing"
} as const;
export type TaskKind = (typeof TaskKind)[keyof typeof TaskKind];
export type Attempt = {
    attempt_id: string;
    delivery_id: string;
    message_id: string;
    endpoint_id: string;
    tenant_id: string;
    event_kind: string;
    number: number;
    started_ms: string;
    duration_ms: number;
    /**
     * Of the answer; 0 without one.
     */
    status: number;
    /**
     * `ok`, `status_<n>`, `timeout`, `dns`, `guard`, `tls`, `connect`, `reset` or `too_large`.
     */
    outcome: string;
    snippet: string;
    next_attempt_ms: string | null;
    test_target: boolean;
};
export type Delivery = {
    delivery_id: string;
    message_id: string;
    endpoint_id: string;
    tenant_id: string;
    event_kind: string;
    status: DeliveryStatus;
    /**
     * When the next attempt is due; null where there is none.
     */
    due_ms: string | null;
    /**
     * Attempts since it was made or sent again: the place in the schedule; and in all.
     */
    schedule_step: number;
    attempts: number;
    /**
     * Who is sending it, and since when; a claim that is too old is taken over.
     */
    claimed_by: string | null;
    claimed_ms: string | null;
    /**
     * Since when it waits for credits.
     */
    held_since_ms: string | null;
    /**
     * Credits it costs once it is delivered, 0 or 1, and whether they were posted.
     */
    credits: number;
    charged: boolean;
    /**
     * Of the task that sends it again.
     */
    task_id: string | null;
    created_ms: string;
    updated_ms: string;
};
export type Endpoint = {
    endpoint_id: string;
    tenant_id: string;
    plan_id: string;
    /**
     * Of the call that created it.
     */
    operation_id: string;
    url: string;
    description: string;
    /**
     * List of event kinds.
     */
    event_kinds: unknown;
    /**
     * List of symbols; empty: all.
     */
    symbols: unknown;
    status: EndpointStatus;
    /**
     * `owner`, `gone_410`, `failing_120h`; empty unless disabled.
     */
    disabled_reason: string;
    /**
     * Rises with every change of the URL: what a test of another URL found counts no more.
     */
    url_revision: number;
    last_success_ms: string | null;
    /**
     * First failure since the last success, and how many messages have failed since.
     */
    failing_since_ms: string | null;
    failed_messages: number;
    created_ms: string;
    updated_ms: string;
};
export type EndpointSecret = {
    secret_id: string;
    endpoint_id: string;
    sealed: string;
    created_ms: string;
    /**
     * When it signs no more; null for the newest.
     */
    expires_ms: string | null;
};
export type EndpointTopic = {
    event_kind: string;
    symbol: string;
    tenant_id: string;
    endpoint_id: string;
};
export type Fanout = {
    fanout_id: string;
    payload_id: string;
    event_kind: string;
    symbol: string;
    occasion: string;
    /**
     * Endpoints up to this one have it.
     */
    after_tenant_id: string;
    /**
     * Found by those who pull messages, and sent to no endpoint.
     */
    pull_only: boolean;
    created_ms: string;
};
export type Lane = {
    endpoint_id: string;
    tenant_id: string;
    /**
     * When its next delivery is due; null when none waits.
     */
    next_due_ms: string | null;
    /**
     * When a worker was last rung for it and has not answered yet.
     */
    rung_ms: string | null;
    /**
     * Rises with every ring.
     */
    ring: number;
    /**
     * The last attempt took long or failed.
     */
    slow: boolean;
    /**
     * As the breaker keeps it.
     */
    breaker: unknown;
    /**
     * No attempt before it, but for one probe; 0: closed.
     */
    breaker_until_ms: string;
};
export type Message = {
    message_id: string;
    tenant_id: string;
    /**
     * In the order of the tenant, from 1.
     */
    position: string;
    event_kind: string;
    /**
     * What happened, once for a tenant.
     */
    occasion: string;
    /**
     * Empty without one.
     */
    symbol: string;
    created_ms: string;
    /**
     * The members of the body's `data` that are its own; null once they are no longer kept, or where a payload has all of them.
     */
    data: unknown | null;
    /**
     * What it shares with other messages: the other members of `data`, behind its own, and `meta`.
     */
    payload_id: string | null;
    /**
     * Null once it is no longer kept, or where a payload has it.
     */
    meta: unknown | null;
};
export type MessageOrder = {
    tenant_id: string;
    newest: string;
    /**
     * Newest day of UTC in which messages were made, since 1970.
     */
    day: Generated<number>;
    /**
     * Messages about packets of that day, and those that were left out because the plan has no more.
     */
    about_packets: Generated<number>;
};
export type PacketCursor = {
    symbol: string;
    sequence: string;
    window_end_ms: string;
    /**
     * By the wall clock.
     */
    seen_ms: string;
};
export type Payload = {
    payload_id: string;
    data: unknown;
    meta: unknown;
    created_ms: string;
};
export type Rule = {
    rule_id: string;
    watchlist_id: string;
    /**
     * From 0.
     */
    position: number;
    kind: string;
    params: unknown;
    cooldown_seconds: number;
    min_consecutive: number;
};
export type RuleInput = {
    symbol: string;
    sequence: string;
    window_end_ms: string;
    input: unknown;
};
export type RuleInputDay = {
    day_ms: string;
    kept_until_ms: string;
};
export type RuleState = {
    rule_id: string;
    symbol: string;
    /**
     * As libs/domain/alert-rules keeps it.
     */
    state: unknown;
    /**
     * The last five transitions, newest first.
     */
    recent: unknown;
    updated_ms: string;
};
export type RuleVersion = {
    symbol: string;
    version: string;
};
export type SavedSearch = {
    saved_search_id: string;
    tenant_id: string;
    /**
     * Of the call that created it.
     */
    operation_id: string;
    name: string;
    query: unknown;
    created_ms: string;
    updated_ms: string;
};
export type Task = {
    task_id: string;
    tenant_id: string;
    endpoint_id: string;
    kind: TaskKind;
    since_ms: string;
    until_ms: string;
    /**
     * Messages up to this position are found.
     */
    after_position: string;
    /**
     * All are found.
     */
    is_complete: boolean;
    found: number;
    created_ms: string;
    finished_ms: string | null;
};
export type Watchlist = {
    watchlist_id: string;
    tenant_id: string;
    /**
     * Of the call that created it.
     */
    operation_id: string;
    kind: WatchlistKind;
    name: string;
    /**
     * List of symbols, in the order given.
     */
    symbols: unknown;
    /**
     * Rules are looked at, but no message is made of them.
     */
    muted: boolean;
    created_ms: string;
    updated_ms: string;
};
export type DB = {
    attempt: Attempt;
    delivery: Delivery;
    endpoint: Endpoint;
    endpoint_secret: EndpointSecret;
    endpoint_topic: EndpointTopic;
    fanout: Fanout;
    lane: Lane;
    message: Message;
    message_order: MessageOrder;
    packet_cursor: PacketCursor;
    payload: Payload;
    rule: Rule;
    rule_input: RuleInput;
    rule_input_day: RuleInputDay;
    rule_state: RuleState;
    rule_version: RuleVersion;
    saved_search: SavedSearch;
    task: Task;
    watchlist: Watchlist;
};
