-- Every column has a default, as processes of the previous release write these tables without them. A worker of that release cannot sign with
-- the credential of another destination: it sends nothing, and tries again until a worker of this release claims the delivery.
CREATE TYPE "endpoint_kind" AS ENUM ('webhook', 'slack', 'discord', 'telegram', 'pagerduty', 'email');

ALTER TABLE "endpoint"
    ADD COLUMN "kind" "endpoint_kind" NOT NULL DEFAULT 'webhook',
    ADD COLUMN "chat_id" TEXT NOT NULL DEFAULT '',
    ADD COLUMN "digest_minutes" INTEGER NOT NULL DEFAULT 0,
    ADD COLUMN "confirmed_ms" BIGINT,
    ADD COLUMN "confirmation" JSONB;

ALTER TABLE "delivery" ADD COLUMN "in_digest" BOOLEAN NOT NULL DEFAULT false;

ALTER TABLE "attempt" ADD COLUMN "reason" TEXT NOT NULL DEFAULT '';

CREATE TABLE "mail_count" (
    "counter" TEXT NOT NULL,
    "period_ms" BIGINT NOT NULL,
    "total" INTEGER NOT NULL,

    CONSTRAINT "mail_count_pkey" PRIMARY KEY ("counter","period_ms")
);

CREATE INDEX "mail_count_period_ms_idx" ON "mail_count"("period_ms");
