-- CreateEnum
CREATE TYPE "renewal" AS ENUM ('none', 'daily', 'monthly');

-- CreateEnum
CREATE TYPE "credit_kind" AS ENUM ('market_state', 'export');

-- CreateEnum
CREATE TYPE "grant_source" AS ENUM ('plan', 'trial', 'topup', 'sandbox', 'operator');

-- CreateEnum
CREATE TYPE "ledger_account" AS ENUM ('grant', 'holds', 'spent', 'issued', 'expired');

-- CreateEnum
CREATE TYPE "posting_phase" AS ENUM ('grant', 'hold', 'charge', 'release', 'expire');

-- CreateEnum
CREATE TYPE "reservation_state" AS ENUM ('open', 'settled', 'released');

-- AlterTable
ALTER TABLE "tenant"
    ADD COLUMN "plan_id" TEXT,
    ADD COLUMN "renewal" "renewal" NOT NULL DEFAULT 'none',
    ADD COLUMN "billing_anchor" TIMESTAMPTZ(3),
    ADD COLUMN "plan_until" TIMESTAMPTZ(3),
    ADD COLUMN "disabled" BOOLEAN NOT NULL DEFAULT false,
    ADD COLUMN "own_market_state_credits" INTEGER,
    ADD COLUMN "own_export_credits" INTEGER,
    ADD COLUMN "period_from" TIMESTAMPTZ(3),
    ADD COLUMN "period_to" TIMESTAMPTZ(3),
    ADD CONSTRAINT "tenant_plan_known" CHECK ("plan_id" IN ('public_builder', 'public_pro', 'public_research', 'enterprise', 'trial', 'sandbox')),
    ADD CONSTRAINT "tenant_renewal_has_plan" CHECK ("renewal" = 'none' OR ("plan_id" IS NOT NULL AND "billing_anchor" IS NOT NULL)),
    ADD CONSTRAINT "tenant_own_credits" CHECK ("own_market_state_credits" >= 0 AND "own_export_credits" >= 0),
    ADD CONSTRAINT "tenant_period_whole" CHECK (("period_from" IS NULL) = ("period_to" IS NULL) AND "period_from" < "period_to");

-- Tenants of an installation from before there were plans go on working.
UPDATE "tenant" SET "plan_id" = 'public_pro', "renewal" = 'daily', "billing_anchor" = "created_at";

-- CreateTable
CREATE TABLE "spend_control" (
    "tenant_id" TEXT NOT NULL,
    "monthly_credit_cap" BIGINT,
    "daily_credit_cap" BIGINT,
    "per_call_credit_ceiling" BIGINT,
    "export_credit_cap" BIGINT,

    CONSTRAINT "spend_control_pkey" PRIMARY KEY ("tenant_id"),
    CONSTRAINT "spend_control_not_negative" CHECK ("monthly_credit_cap" >= 0 AND "daily_credit_cap" >= 0 AND "per_call_credit_ceiling" >= 0 AND "export_credit_cap" >= 0)
);

-- CreateTable
CREATE TABLE "credit_total" (
    "tenant_id" TEXT NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "held" BIGINT NOT NULL DEFAULT 0,
    "spent" BIGINT NOT NULL DEFAULT 0,
    "issued" BIGINT NOT NULL DEFAULT 0,
    "expired" BIGINT NOT NULL DEFAULT 0,
    "day" DATE NOT NULL DEFAULT '1970-01-01',
    "spent_day" BIGINT NOT NULL DEFAULT 0,
    "spent_month" BIGINT NOT NULL DEFAULT 0,

    CONSTRAINT "credit_total_pkey" PRIMARY KEY ("tenant_id", "kind"),
    CONSTRAINT "credit_total_not_negative" CHECK ("held" >= 0 AND "spent" >= 0 AND "issued" >= 0 AND "expired" >= 0 AND "spent_day" >= 0 AND "spent_month" >= "spent_day")
);

-- CreateTable
CREATE TABLE "credit_grant" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "source" "grant_source" NOT NULL,
    "operation_id" TEXT NOT NULL,
    "note" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "left" BIGINT NOT NULL,
    "spent" BIGINT NOT NULL,
    "granted_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3),

    CONSTRAINT "credit_grant_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credit_grant_amounts" CHECK ("amount" > 0 AND "left" >= 0 AND "spent" >= 0 AND "left" + "spent" <= "amount")
);

-- CreateTable
CREATE TABLE "credit_hold" (
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "operation_id" TEXT NOT NULL,
    "amount" BIGINT NOT NULL,
    "left" BIGINT NOT NULL,
    "grant_ids" TEXT[] NOT NULL,
    "grant_amounts" BIGINT[] NOT NULL,
    "counted_on" DATE NOT NULL,
    "taken_at" TIMESTAMPTZ(3) NOT NULL,
    "release_at" TIMESTAMPTZ(3) NOT NULL,
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "credit_hold_pkey" PRIMARY KEY ("id"),
    CONSTRAINT "credit_hold_amounts" CHECK ("amount" >= 0 AND "left" BETWEEN 0 AND "amount"),
    CONSTRAINT "credit_hold_ended_holds_nothing" CHECK ("ended_at" IS NULL OR "left" = 0),
    CONSTRAINT "credit_hold_parts" CHECK (cardinality("grant_ids") = cardinality("grant_amounts"))
);

-- CreateTable
CREATE TABLE "credit_lease" (
    "id" TEXT NOT NULL,
    "gateway_id" TEXT NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,
    "ends_at_reset" BOOLEAN NOT NULL,
    "last_batch" INTEGER NOT NULL DEFAULT 0,
    "recalled_at" TIMESTAMPTZ(3),
    "ended_at" TIMESTAMPTZ(3),

    CONSTRAINT "credit_lease_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "credit_reservation" (
    "operation_id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "state" "reservation_state" NOT NULL,
    "request_id" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "priced" JSONB NOT NULL,
    "reserved_at" TIMESTAMPTZ(3) NOT NULL,
    "expires_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "credit_reservation_pkey" PRIMARY KEY ("operation_id")
);

-- CreateTable
CREATE TABLE "posting" (
    "id" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "phase" "posting_phase" NOT NULL,
    "part" INTEGER NOT NULL,
    "counted_on" DATE NOT NULL,
    "posted_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "posting_pkey" PRIMARY KEY ("id")
);

-- CreateTable
CREATE TABLE "entry" (
    "posting_id" BIGINT NOT NULL,
    "line" INTEGER NOT NULL,
    "kind" "credit_kind" NOT NULL,
    "account" "ledger_account" NOT NULL,
    "grant_id" TEXT,
    "amount" BIGINT NOT NULL,

    CONSTRAINT "entry_pkey" PRIMARY KEY ("posting_id", "line"),
    CONSTRAINT "entry_names_its_grant" CHECK (("account" = 'grant') = ("grant_id" IS NOT NULL)),
    CONSTRAINT "entry_moves_something" CHECK ("amount" <> 0)
);

-- CreateTable
CREATE TABLE "receipt" (
    "sequence" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL,
    "id" TEXT NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "operation_id" TEXT NOT NULL,
    "request_id" TEXT NOT NULL,
    "charged_operation_id" TEXT NOT NULL,
    "charged_part" INTEGER NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "plan_id" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "workload_family" TEXT NOT NULL,
    "price_version" TEXT NOT NULL,
    "estimated_market_state_credits" BIGINT NOT NULL,
    "observed_market_state_credits" BIGINT NOT NULL,
    "estimated_export_credits" BIGINT NOT NULL,
    "observed_export_credits" BIGINT NOT NULL,
    "quote_id" TEXT NOT NULL,
    "artifact_ids" TEXT[] NOT NULL,
    "status" INTEGER NOT NULL,
    "served_at" TIMESTAMPTZ(3) NOT NULL,

    CONSTRAINT "receipt_pkey" PRIMARY KEY ("sequence"),
    CONSTRAINT "receipt_credits" CHECK ("observed_market_state_credits" BETWEEN 0 AND "estimated_market_state_credits" AND "observed_export_credits" BETWEEN 0 AND "estimated_export_credits")
);

-- CreateTable
CREATE TABLE "usage_day" (
    "tenant_id" TEXT NOT NULL,
    "day" DATE NOT NULL,
    "workload_family" TEXT NOT NULL,
    "method" TEXT NOT NULL,
    "route" TEXT NOT NULL,
    "key_id" TEXT NOT NULL,
    "account_id" TEXT NOT NULL,
    "calls" BIGINT NOT NULL,
    "market_state_credits" BIGINT NOT NULL,
    "export_credits" BIGINT NOT NULL,

    CONSTRAINT "usage_day_pkey" PRIMARY KEY ("tenant_id", "day", "workload_family", "method", "route", "key_id", "account_id")
);

-- CreateTable
CREATE TABLE "outbox" (
    "id" BIGINT GENERATED ALWAYS AS IDENTITY NOT NULL,
    "tenant_id" TEXT NOT NULL,
    "kind" TEXT NOT NULL,
    "occasion" TEXT NOT NULL,
    "payload" JSONB NOT NULL,
    "created_at" TIMESTAMPTZ(3) NOT NULL,
    "taken_at" TIMESTAMPTZ(3),

    CONSTRAINT "outbox_pkey" PRIMARY KEY ("id")
);

-- CreateIndex
CREATE INDEX "tenant_period_to_idx" ON "tenant"("period_to");

-- CreateIndex
CREATE INDEX "credit_grant_tenant_id_expires_at_idx" ON "credit_grant"("tenant_id", "expires_at");

-- CreateIndex
CREATE UNIQUE INDEX "credit_grant_tenant_id_operation_id_kind_key" ON "credit_grant"("tenant_id", "operation_id", "kind");

-- CreateIndex
CREATE UNIQUE INDEX "credit_hold_operation_id_kind_key" ON "credit_hold"("operation_id", "kind");

-- CreateIndex
CREATE INDEX "credit_hold_tenant_id_ended_at_idx" ON "credit_hold"("tenant_id", "ended_at");

-- CreateIndex
CREATE INDEX "credit_hold_ended_at_release_at_idx" ON "credit_hold"("ended_at", "release_at");

-- CreateIndex
CREATE INDEX "credit_lease_gateway_id_ended_at_idx" ON "credit_lease"("gateway_id", "ended_at");

-- CreateIndex
CREATE UNIQUE INDEX "posting_tenant_id_operation_id_phase_part_key" ON "posting"("tenant_id", "operation_id", "phase", "part");

-- CreateIndex
CREATE UNIQUE INDEX "receipt_id_key" ON "receipt"("id");

-- CreateIndex
CREATE INDEX "receipt_tenant_id_sequence_idx" ON "receipt"("tenant_id", "sequence");

-- CreateIndex
CREATE INDEX "receipt_tenant_id_request_id_idx" ON "receipt"("tenant_id", "request_id");

-- CreateIndex
CREATE UNIQUE INDEX "outbox_tenant_id_occasion_key" ON "outbox"("tenant_id", "occasion");

-- CreateIndex
CREATE INDEX "outbox_taken_at_id_idx" ON "outbox"("taken_at", "id");

-- AddForeignKey
ALTER TABLE "spend_control" ADD CONSTRAINT "spend_control_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_total" ADD CONSTRAINT "credit_total_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_grant" ADD CONSTRAINT "credit_grant_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_hold" ADD CONSTRAINT "credit_hold_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_lease" ADD CONSTRAINT "credit_lease_id_fkey" FOREIGN KEY ("id") REFERENCES "credit_hold"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- AddForeignKey
ALTER TABLE "credit_reservation" ADD CONSTRAINT "credit_reservation_tenant_id_fkey" FOREIGN KEY ("tenant_id") REFERENCES "tenant"("id") ON DELETE RESTRICT ON UPDATE CASCADE;

-- Every tenant has the rows that its credits are counted in, whoever makes it.
CREATE FUNCTION "open_tenant_credits"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    INSERT INTO "spend_control" ("tenant_id") VALUES (NEW."id");
    INSERT INTO "credit_total" ("tenant_id", "kind") VALUES (NEW."id", 'market_state'), (NEW."id", 'export');
    RETURN NULL;
END;
$$;

CREATE TRIGGER "tenant_credits_opened" AFTER INSERT ON "tenant" FOR EACH ROW EXECUTE FUNCTION "open_tenant_credits"();

INSERT INTO "spend_control" ("tenant_id") SELECT "id" FROM "tenant";
INSERT INTO "credit_total" ("tenant_id", "kind") SELECT "id", unnest(ARRAY['market_state', 'export']::"credit_kind"[]) FROM "tenant";

-- The entries of a posting cancel out, for each kind of credit by itself; looked at when the transaction ends.
CREATE FUNCTION "check_posting_balanced"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT 1 FROM "entry" WHERE "posting_id" = NEW."posting_id" GROUP BY "kind" HAVING sum("amount") <> 0) THEN
        RAISE EXCEPTION 'the entries of posting % do not sum to zero', NEW."posting_id" USING ERRCODE = 'check_violation';
    END IF;
    IF NOT EXISTS (SELECT 1 FROM "posting" WHERE "id" = NEW."posting_id") THEN
        RAISE EXCEPTION 'there is no posting %', NEW."posting_id" USING ERRCODE = 'foreign_key_violation';
    END IF;
    RETURN NULL;
END;
$$;

CREATE CONSTRAINT TRIGGER "posting_balanced" AFTER INSERT ON "entry" DEFERRABLE INITIALLY DEFERRED
FOR EACH ROW EXECUTE FUNCTION "check_posting_balanced"();

-- What was posted stays: neither the grants nor the triggers let anyone change it.
CREATE FUNCTION "refuse_change_of_posted"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is append-only', TG_TABLE_NAME USING ERRCODE = 'insufficient_privilege';
END;
$$;

CREATE TRIGGER "posting_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "posting" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_posted"();
CREATE TRIGGER "entry_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "entry" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_posted"();
CREATE TRIGGER "receipt_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "receipt" FOR EACH STATEMENT EXECUTE FUNCTION "refuse_change_of_posted"();

-- The role that runs the migrations owns these tables; without these privileges it cannot change rows, nor can anyone it lets in.
-- No foreign key points to them or from them: its checks run with the owner's privileges, which they would lack.
REVOKE UPDATE, DELETE, TRUNCATE ON "posting", "entry", "receipt" FROM CURRENT_USER, PUBLIC;
