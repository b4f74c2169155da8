-- CreateEnum
CREATE TYPE "watchlist_kind" AS ENUM ('watchlist', 'alert');

-- CreateEnum
CREATE TYPE "endpoint_status" AS ENUM ('test_pending', 'live', 'disabled');

-- CreateEnum
CREATE TYPE "delivery_status" AS ENUM ('waiting', 'delivered', 'exhausted', 'endpoint_disabled', 'endpoint_deleted', 'held_no_credits', 'not_paid');

-- CreateEnum
CREATE TYPE "task_kind" AS ENUM ('recover', 'replay_missing');

-- CreateTable
CREATE TABLE "watchlist" (
    "watchlist_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "kind" "watchlist_kind" NOT NULL,
    "name" TEXT NOT NULL,
    "symbols" JSONB NOT NULL,
    "muted" BOOLEAN NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "updated_ms" BIGINT NOT NULL,

    CONSTRAINT "watchlist_pkey" PRIMARY KEY ("watchlist_id")
);

-- CreateTable
CREATE TABLE "rule" (
    "rule_id" TEXT NOT NULL,
    "watchlist_id" TEXT NOT NULL,
    "position" INTEGER NOT NULL,
    "kind" TEXT NOT NULL,
    "params" JSONB NOT NULL,
    "cooldown_seconds" INTEGER NOT NULL,
    "min_consecutive" INTEGER NOT NULL,

    CONSTRAINT "rule_pkey" PRIMARY KEY ("rule_id")
);

-- CreateTable
CREATE TABLE "rule_state" (
    "rule_id" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "state" JSONB NOT NULL,
    "recent" JSONB NOT NULL,
    "updated_ms" BIGINT NOT NULL,

    CONSTRAINT "rule_state_pkey" PRIMARY KEY ("rule_id","symbol")
);

-- CreateTable
CREATE TABLE "rule_version" (
    "symbol" TEXT NOT NULL,
    "version" BIGINT NOT NULL,

    CONSTRAINT "rule_version_pkey" PRIMARY KEY ("symbol")
);

-- CreateTable
CREATE TABLE "rule_input" (
    "symbol" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "input" JSONB NOT NULL,

    CONSTRAINT "rule_input_pkey" PRIMARY KEY ("symbol","sequence")
);

-- CreateTable
CREATE TABLE "packet_cursor" (
    "symbol" TEXT NOT NULL,
    "sequence" BIGINT NOT NULL,
    "window_end_ms" BIGINT NOT NULL,
    "seen_ms" BIGINT NOT NULL,

    CONSTRAINT "packet_cursor_pkey" PRIMARY KEY ("symbol")
);

-- CreateTable
CREATE TABLE "saved_search" (
    "saved_search_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "query" JSONB NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "updated_ms" BIGINT NOT NULL,

    CONSTRAINT "saved_search_pkey" PRIMARY KEY ("saved_search_id")
);

-- CreateTable
CREATE TABLE "endpoint" (
    "endpoint_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "plan_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "url" TEXT NOT NULL,
    "description" TEXT NOT NULL,
    "event_kinds" JSONB NOT NULL,
    "symbols" JSONB NOT NULL,
    "status" "endpoint_status" NOT NULL,
    "disabled_reason" TEXT NOT NULL,
    "url_revision" INTEGER NOT NULL,
    "last_success_ms" BIGINT,
    "failing_since_ms" BIGINT,
    "failed_messages" INTEGER NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "updated_ms" BIGINT NOT NULL,

    CONSTRAINT "endpoint_pkey" PRIMARY KEY ("endpoint_id")
);

-- CreateTable
CREATE TABLE "endpoint_topic" (
    "event_kind" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,

    CONSTRAINT "endpoint_topic_pkey" PRIMARY KEY ("event_kind","symbol","endpoint_id")
);

-- CreateTable
CREATE TABLE "endpoint_secret" (
    "secret_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "sealed" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "expires_ms" BIGINT,

    CONSTRAINT "endpoint_secret_pkey" PRIMARY KEY ("secret_id")
);

-- CreateTable
CREATE TABLE "message_order" (
    "tenant_id" TEXT NOT NULL,
    "newest" BIGINT NOT NULL,

    CONSTRAINT "message_order_pkey" PRIMARY KEY ("tenant_id")
);

-- CreateTable
CREATE TABLE "message" (
    "message_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "position" BIGINT NOT NULL,
    "event_kind" TEXT NOT NULL,
    "occasion" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "data" JSON,
    "payload_id" TEXT,
    "meta" JSON,

    CONSTRAINT "message_pkey" PRIMARY KEY ("message_id")
);

-- CreateTable
CREATE TABLE "payload" (
    "payload_id" TEXT NOT NULL,
    "data" JSON NOT NULL,
    "created_ms" BIGINT NOT NULL,

    CONSTRAINT "payload_pkey" PRIMARY KEY ("payload_id")
);

-- CreateTable
CREATE TABLE "fanout" (
    "fanout_id" TEXT NOT NULL,
    "payload_id" TEXT NOT NULL,
    "event_kind" TEXT NOT NULL,
    "symbol" TEXT NOT NULL,
    "occasion" TEXT NOT NULL,
    "meta" JSON NOT NULL,
    "after_tenant_id" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,

    CONSTRAINT "fanout_pkey" PRIMARY KEY ("fanout_id")
);

-- CreateTable
CREATE TABLE "delivery" (
    "delivery_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "event_kind" TEXT NOT NULL,
    "status" "delivery_status" NOT NULL,
    "due_ms" BIGINT,
    "schedule_step" INTEGER NOT NULL,
    "attempts" INTEGER NOT NULL,
    "claimed_by" TEXT,
    "claimed_ms" BIGINT,
    "held_since_ms" BIGINT,
    "credits" INTEGER NOT NULL,
    "charged" BOOLEAN NOT NULL,
    "task_id" TEXT,
    "created_ms" BIGINT NOT NULL,
    "updated_ms" BIGINT NOT NULL,

    CONSTRAINT "delivery_pkey" PRIMARY KEY ("delivery_id")
);

-- CreateTable
CREATE TABLE "attempt" (
    "attempt_id" TEXT NOT NULL,
    "delivery_id" TEXT NOT NULL,
    "message_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "event_kind" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "started_ms" BIGINT NOT NULL,
    "duration_ms" INTEGER NOT NULL,
    "status" INTEGER NOT NULL,
    "outcome" TEXT NOT NULL,
    "snippet" TEXT NOT NULL,
    "next_attempt_ms" BIGINT,
    "test_target" BOOLEAN NOT NULL,

    CONSTRAINT "attempt_pkey" PRIMARY KEY ("attempt_id")
);

-- CreateTable
CREATE TABLE "lane" (
    "endpoint_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "next_due_ms" BIGINT,
    "rung_ms" BIGINT,
    "ring" INTEGER NOT NULL,
    "slow" BOOLEAN NOT NULL,
    "breaker" JSONB NOT NULL,
    "breaker_until_ms" BIGINT NOT NULL,

    CONSTRAINT "lane_pkey" PRIMARY KEY ("endpoint_id")
);

-- CreateTable
CREATE TABLE "task" (
    "task_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "endpoint_id" TEXT NOT NULL,
    "kind" "task_kind" NOT NULL,
    "since_ms" BIGINT NOT NULL,
    "until_ms" BIGINT NOT NULL,
    "after_position" BIGINT NOT NULL,
    "is_complete" BOOLEAN NOT NULL,
    "found" INTEGER NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "finished_ms" BIGINT,

    CONSTRAINT "task_pkey" PRIMARY KEY ("task_id")
);

-- CreateIndex
CREATE UNIQUE INDEX "watchlist_operation_id_key" ON "watchlist"("operation_id");

-- CreateIndex
CREATE INDEX "watchlist_tenant_id_kind_created_ms_watchlist_id_idx" ON "watchlist"("tenant_id", "kind", "created_ms", "watchlist_id");

-- CreateIndex
CREATE INDEX "rule_watchlist_id_position_idx" ON "rule"("watchlist_id", "position");

-- CreateIndex
CREATE INDEX "rule_state_symbol_idx" ON "rule_state"("symbol");

-- CreateIndex
CREATE INDEX "rule_input_symbol_window_end_ms_idx" ON "rule_input"("symbol", "window_end_ms");

-- CreateIndex
CREATE INDEX "rule_input_window_end_ms_idx" ON "rule_input"("window_end_ms");

-- CreateIndex
CREATE UNIQUE INDEX "saved_search_operation_id_key" ON "saved_search"("operation_id");

-- CreateIndex
CREATE INDEX "saved_search_tenant_id_created_ms_saved_search_id_idx" ON "saved_search"("tenant_id", "created_ms", "saved_search_id");

-- CreateIndex
CREATE UNIQUE INDEX "endpoint_operation_id_key" ON "endpoint"("operation_id");

-- CreateIndex
CREATE INDEX "endpoint_tenant_id_created_ms_endpoint_id_idx" ON "endpoint"("tenant_id", "created_ms", "endpoint_id");

-- CreateIndex
CREATE INDEX "endpoint_topic_tenant_id_event_kind_idx" ON "endpoint_topic"("tenant_id", "event_kind");

-- CreateIndex
CREATE INDEX "endpoint_secret_endpoint_id_created_ms_idx" ON "endpoint_secret"("endpoint_id", "created_ms");

-- CreateIndex
CREATE INDEX "message_created_ms_idx" ON "message"("created_ms");

-- CreateIndex
CREATE UNIQUE INDEX "message_tenant_id_occasion_key" ON "message"("tenant_id", "occasion");

-- CreateIndex
CREATE UNIQUE INDEX "message_tenant_id_position_key" ON "message"("tenant_id", "position");

-- CreateIndex
CREATE INDEX "payload_created_ms_idx" ON "payload"("created_ms");

-- CreateIndex
CREATE INDEX "fanout_created_ms_idx" ON "fanout"("created_ms");

-- CreateIndex
CREATE INDEX "delivery_endpoint_id_due_ms_idx" ON "delivery"("endpoint_id", "due_ms");

-- CreateIndex
CREATE INDEX "delivery_tenant_id_claimed_ms_idx" ON "delivery"("tenant_id", "claimed_ms");

-- CreateIndex
CREATE INDEX "delivery_status_charged_updated_ms_idx" ON "delivery"("status", "charged", "updated_ms");

-- CreateIndex
CREATE INDEX "delivery_task_id_idx" ON "delivery"("task_id");

-- CreateIndex
CREATE INDEX "delivery_tenant_id_created_ms_idx" ON "delivery"("tenant_id", "created_ms");

-- CreateIndex
CREATE UNIQUE INDEX "delivery_message_id_endpoint_id_key" ON "delivery"("message_id", "endpoint_id");

-- CreateIndex
CREATE INDEX "attempt_tenant_id_started_ms_attempt_id_idx" ON "attempt"("tenant_id", "started_ms", "attempt_id");

-- CreateIndex
CREATE INDEX "attempt_endpoint_id_started_ms_idx" ON "attempt"("endpoint_id", "started_ms");

-- CreateIndex
CREATE INDEX "attempt_message_id_started_ms_idx" ON "attempt"("message_id", "started_ms");

-- CreateIndex
CREATE INDEX "attempt_started_ms_idx" ON "attempt"("started_ms");

-- CreateIndex
CREATE UNIQUE INDEX "attempt_delivery_id_number_key" ON "attempt"("delivery_id", "number");

-- CreateIndex
CREATE INDEX "lane_next_due_ms_idx" ON "lane"("next_due_ms");

-- CreateIndex
CREATE INDEX "lane_rung_ms_idx" ON "lane"("rung_ms");

-- CreateIndex
CREATE INDEX "task_finished_ms_created_ms_idx" ON "task"("finished_ms", "created_ms");

-- AddForeignKey
ALTER TABLE "rule" ADD CONSTRAINT "rule_watchlist_id_fkey" FOREIGN KEY ("watchlist_id") REFERENCES "watchlist"("watchlist_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "rule_state" ADD CONSTRAINT "rule_state_rule_id_fkey" FOREIGN KEY ("rule_id") REFERENCES "rule"("rule_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_topic" ADD CONSTRAINT "endpoint_topic_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("endpoint_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "endpoint_secret" ADD CONSTRAINT "endpoint_secret_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("endpoint_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "delivery" ADD CONSTRAINT "delivery_message_id_fkey" FOREIGN KEY ("message_id") REFERENCES "message"("message_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "lane" ADD CONSTRAINT "lane_endpoint_id_fkey" FOREIGN KEY ("endpoint_id") REFERENCES "endpoint"("endpoint_id") ON DELETE CASCADE ON UPDATE CASCADE;
