-- CreateEnum
CREATE TYPE "job_status" AS ENUM ('queued', 'running', 'publishing', 'ready', 'failed', 'cancelled', 'expired');

-- CreateEnum
CREATE TYPE "part_state" AS ENUM ('waiting', 'running', 'made');

-- CreateTable
CREATE TABLE "export_job" (
    "job_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "plan_id" TEXT NOT NULL,
    "quote_id" TEXT NOT NULL,
    "request" JSON NOT NULL,
    "spec" JSONB NOT NULL,
    "plan_digest" TEXT NOT NULL,
    "symbols" JSONB NOT NULL,
    "status" "job_status" NOT NULL,
    "fence" INTEGER NOT NULL,
    "publish_beat_ms" BIGINT NOT NULL,
    "row_total" BIGINT NOT NULL,
    "byte_total" BIGINT NOT NULL,
    "rows_made" BIGINT NOT NULL,
    "bytes_made" BIGINT NOT NULL,
    "part_total" INTEGER NOT NULL,
    "parts_made" INTEGER NOT NULL,
    "estimated_credits" INTEGER NOT NULL,
    "observed_credits" INTEGER,
    "receipt_id" TEXT,
    "created_ms" BIGINT NOT NULL,
    "started_ms" BIGINT,
    "finished_ms" BIGINT,
    "expires_ms" BIGINT,
    "error_reason" TEXT,
    "error_message" TEXT,
    "credits_over" BOOLEAN NOT NULL,
    "review_pack" JSON,

    CONSTRAINT "export_job_pkey" PRIMARY KEY ("job_id")
);

-- CreateTable
CREATE TABLE "export_part" (
    "job_id" TEXT NOT NULL,
    "number" INTEGER NOT NULL,
    "symbol" TEXT NOT NULL,
    "day_ms" BIGINT NOT NULL,
    "name" TEXT NOT NULL,
    "plan" JSONB NOT NULL,
    "row_total" BIGINT NOT NULL,
    "byte_total" BIGINT NOT NULL,
    "state" "part_state" NOT NULL,
    "attempt" INTEGER NOT NULL,
    "failures" INTEGER NOT NULL,
    "due_ms" BIGINT NOT NULL,
    "worker" TEXT,
    "heartbeat_ms" BIGINT,
    "facts" JSONB,

    CONSTRAINT "export_part_pkey" PRIMARY KEY ("job_id","number")
);

-- CreateTable
CREATE TABLE "export_file" (
    "job_id" TEXT NOT NULL,
    "name" TEXT NOT NULL,
    "part" INTEGER NOT NULL,
    "content_type" TEXT NOT NULL,
    "bytes" BIGINT NOT NULL,
    "sha256" TEXT NOT NULL,
    "object_key" TEXT NOT NULL,

    CONSTRAINT "export_file_pkey" PRIMARY KEY ("job_id","name")
);

-- CreateTable
CREATE TABLE "reservation" (
    "operation_id" TEXT NOT NULL,
    "created_ms" BIGINT NOT NULL,

    CONSTRAINT "reservation_pkey" PRIMARY KEY ("operation_id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "occasion" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_ms" BIGINT NOT NULL,
    "taken_ms" BIGINT,

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE UNIQUE INDEX "export_job_operation_id_key" ON "export_job"("operation_id");

-- CreateIndex
CREATE INDEX "export_job_tenant_id_created_ms_job_id_idx" ON "export_job"("tenant_id", "created_ms", "job_id");

-- CreateIndex
CREATE INDEX "export_job_status_created_ms_idx" ON "export_job"("status", "created_ms");

-- CreateIndex
CREATE INDEX "export_part_state_due_ms_idx" ON "export_part"("state", "due_ms");

-- CreateIndex
CREATE INDEX "reservation_created_ms_idx" ON "reservation"("created_ms");

-- CreateIndex
CREATE INDEX "outbox_taken_ms_created_ms_idx" ON "outbox"("taken_ms", "created_ms");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_tenant_id_occasion_key" ON "outbox"("tenant_id", "occasion");

-- AddForeignKey
ALTER TABLE "export_part" ADD CONSTRAINT "export_part_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "export_job"("job_id") ON DELETE CASCADE ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "export_file" ADD CONSTRAINT "export_file_job_id_fkey" FOREIGN KEY ("job_id") REFERENCES "export_job"("job_id") ON DELETE CASCADE ON UPDATE CASCADE;
