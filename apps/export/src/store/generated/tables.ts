import type { ColumnType } from "kysely";
export type Generated<T> = T extends ColumnType<infer S, infer I, infer U>
  ? ColumnType<S, I | undefined, U>
  : ColumnType<T, T | undefined, T>;
export type Timestamp = ColumnType<Date, Date | string, Date | string>;

export const JobStatus = {
    queued: "queued",
    running: "running",
    publishing: "publishing",
    ready: "ready",
    failed: "failed",
    cancelled: "cancelled",
    expired: "expired"
} as const;
export type JobStatus = (typeof JobStatus)[keyof typeof JobStatus];
export const PartState = {
    waiting: "waiting",
    running: "running",
    made: "made"
} as const;
export type PartState = (typeof PartState)[keyof typeof PartState];
export type ExportFile = {
    job_id: string;
    name: string;
    /**
     * Of its part; 0 of a support file.
     */
    part: number;
    content_type: string;
    bytes: string;
    /**
     * Of the bytes, lower-case hex.
     */
    sha256: string;
    object_key: string;
};
export type ExportJob = {
    job_id: string;
    tenant_id: string;
    /**
     * Of the call that created it, and of the credits that are reserved for it.
     */
    operation_id: string;
    request_id: string;
    /**
     * One of the two is empty.
     */
    key_id: string;
    account_id: string;
    plan_id: string;
    /**
     * Empty without a quote.
     */
    quote_id: string;
    /**
     * What was asked, as it is shown; members keep their order.
     */
    request: unknown;
    /**
     * The same resolved.
     */
    spec: unknown;
    /**
     * SHA-256 over the parts and their sources, lower-case hex.
     */
    plan_digest: string;
    /**
     * What is known of each symbol: venue, source kind, from where on it is kept.
     */
    symbols: unknown;
    status: JobStatus;
    /**
     * Number of the try that publishes; what a try with a lower number writes is refused.
     */
    fence: number;
    /**
     * When a try last said that it publishes; 0: none does.
     */
    publish_beat_ms: string;
    /**
     * Rows and bytes that the parts hold by plan, then rows and bytes of the parts that are made.
     */
    row_total: string;
    byte_total: string;
    rows_made: string;
    bytes_made: string;
    part_total: number;
    parts_made: number;
    /**
     * Export credits: most that it may cost, and what it was charged.
     */
    estimated_credits: number;
    observed_credits: number | null;
    /**
     * Of the charge.
     */
    receipt_id: string | null;
    created_ms: string;
    started_ms: string | null;
    finished_ms: string | null;
    expires_ms: string | null;
    error_reason: string | null;
    error_message: string | null;
    /**
     * Whether the credits reserved for it were charged or given back.
     */
    credits_over: boolean;
    /**
     * Evidence, JSON; there from the publication on.
     */
    review_pack: unknown | null;
};
export type ExportPart = {
    job_id: string;
    /**
     * From 1, by symbol and day.
     */
    number: number;
    symbol: string;
    /**
     * Start of the day.
     */
    day_ms: string;
    name: string;
    /**
     * What it is made from.
     */
    plan: unknown;
    row_total: string;
    byte_total: string;
    state: PartState;
    /**
     * Rises with every try; a commit with a lower number is refused.
     */
    attempt: number;
    /**
     * Tries that failed for a reason that may pass, and when the next is due.
     */
    failures: number;
    due_ms: string;
    /**
     * Who makes it, and when it last said so.
     */
    worker: string | null;
    heartbeat_ms: string | null;
    /**
     * What was made: first and last time, late and skewed rows by hour.
     */
    facts: unknown | null;
};
export type Outbox = {
    id: string;
    tenant_id: string;
    kind: string;
    /**
     * What happened, once for a tenant.
     */
    occasion: string;
    payload: unknown;
    created_ms: string;
    taken_ms: string | null;
};
export type Reservation = {
    operation_id: string;
    created_ms: string;
};
export type DB = {
    export_file: ExportFile;
    export_job: ExportJob;
    export_part: ExportPart;
    outbox: Outbox;
    reservation: Reservation;
};
